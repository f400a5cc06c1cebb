// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace cannery::app {

/// Reads a pipe line by line. Does not own the descriptor.
class LineReader
{
public:
    explicit LineReader(int descriptor) : m_descriptor(descriptor) {}

    /// Waits for a whole line; nothing at the end. Signals do not interrupt the wait unless
    /// `untilSignal` is set: then an interrupted wait returns an empty line.
    std::optional<std::string> next(bool untilSignal = false);

private:
    int m_descriptor;
    std::string m_rest;
};

} // namespace cannery::app
