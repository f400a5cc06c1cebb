// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/line_reader.h"

#include <unistd.h>

#include <array>
#include <cerrno>

namespace cannery::app {

std::optional<std::string> LineReader::next(bool untilSignal)
{
    std::array<char, 4096> bytes{};
    while (true) {
        if (const std::size_t end = m_rest.find('\n'); end != std::string::npos) {
            std::string line = m_rest.substr(0, end);
            m_rest.erase(0, end + 1);
            return line;
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

} // namespace cannery::app
