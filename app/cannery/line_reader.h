// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace cannery::app {

/// Lines of a pipe, as they come. Does not own the descriptor.
class LineReader
{
public:
    explicit LineReader(int descriptor) : m_descriptor(descriptor) {}

    /// Waits for a whole line; nothing at the end. A signal does not end the waiting, unless
    /// `untilSignal`: then an interrupted wait is an empty line.
    std::optional<std::string> next(bool untilSignal = false);

private:
    int m_descriptor;
    std::string m_rest;
};

} // namespace cannery::app
