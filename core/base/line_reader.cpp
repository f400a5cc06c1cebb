// SPDX-License-Identifier: Apache-2.0
#include "core/base/line_reader.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace cannery {

/// Waits for more to read; true if there will be none.
bool LineReader::isStopped() const
{
    if (m_stop < 0) {
        return false;
    }
    std::array<pollfd, 2> both{
        {{.fd = m_descriptor, .events = POLLIN}, {.fd = m_stop, .events = POLLIN}}};
    while (poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
    }
    return both[1].revents != 0;
}

std::optional<std::string> LineReader::next(bool untilSignal)
{
    std::array<char, 4096> bytes{};
    while (true) {
        if (const std::size_t end = m_rest.find('\n', m_searched); end != std::string::npos) {
            std::string line = m_rest.substr(0, end);
            m_rest.erase(0, end + 1);
            m_searched = 0;
            return line;
        }
        m_searched = m_rest.size();
        if (isStopped()) {
            return std::nullopt;
        }
        const ssize_t size = read(m_descriptor, bytes.data(), bytes.size());
        if (size > 0) {
            m_rest.append(bytes.data(), static_cast<std::size_t>(size));
        } else if (size == 0 || errno != EINTR) {
            return std::nullopt;
        } else if (untilSignal) {
            return std::string();
        }
    }
}

} // namespace cannery
