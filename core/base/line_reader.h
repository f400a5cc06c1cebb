// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace cannery {

/// Reads a pipe line by line. Does not own the descriptors.
class LineReader
{
public:
    /// `stop`: ends the lines as soon as it can be read, such as StopSignals::descriptor(); -1:
    /// nothing does.
    explicit LineReader(int descriptor, int stop = -1) : m_descriptor(descriptor), m_stop(stop) {}

    /// Waits for a whole line; nothing at the end. Signals do not interrupt the wait unless
    /// `untilSignal` is set: then an interrupted wait returns an empty line.
    std::optional<std::string> next(bool untilSignal = false);

    /// What stood after the last line break when the lines ended.
    const std::string& rest() const { return m_rest; }

private:
    bool isStopped() const;

    int m_descriptor;
    int m_stop;
    std::string m_rest;
    std::size_t m_searched = 0; ///< this much of it has no line break
};

} // namespace cannery
