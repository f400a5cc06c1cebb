// SPDX-License-Identifier: Apache-2.0
#include "storage/io/text_checksum.h"

#include "storage/io/crc32c.h"

#include <fmt/core.h>

namespace cannery::storage {

namespace {

constexpr std::string_view kBegin = "# crc32c ";
constexpr std::string_view kEnd = ": delete this line when you edit\n";
constexpr std::size_t kChecksumSize = 8;

} // namespace

std::string checksumText(std::string_view content)
{
    return fmt::format("{:08x}", crc32c(content));
}

std::string withChecksumLine(std::string_view text, std::size_t at)
{
    return fmt::format("{}{}{}{}{}", text.substr(0, at), kBegin, checksumText(text), kEnd,
                       text.substr(at));
}

bool hasChecksumLine(std::string_view text)
{
    return text.find(kBegin) != std::string_view::npos;
}

bool hasSoundChecksum(std::string_view text)
{
    constexpr std::size_t kLineSize = kBegin.size() + kChecksumSize + kEnd.size();
    const std::size_t at = text.find(kBegin);
    if (at == std::string_view::npos) {
        const std::string_view lastLine = text.substr(text.rfind('\n') + 1);
        return lastLine.empty() || kBegin.substr(0, lastLine.size()) != lastLine; // truncated
    }
    if (text.size() < at + kLineSize) {
        return false;
    }
    std::string rest(text.substr(0, at));
    rest += text.substr(at + kLineSize);
    return withChecksumLine(rest, at) == text && (at == 0 || text[at - 1] == '\n');
}

} // namespace cannery::storage
