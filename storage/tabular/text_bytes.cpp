// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_bytes.h"

#include "storage/tabular/byte_masks.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace cannery::storage {

std::size_t countLines(std::string_view text)
{
    std::size_t lines = 0;
    std::size_t at = 0;
    std::uint64_t lastWasCr = 0; // the LF of a pair does not end another line
    for (; at + 64 <= text.size(); at += 64) {
        const TextBytes bytes = TextBytes::at(text.data() + at);
        const std::uint64_t lf = bytes.equal(TextBytes::pattern('\n'));
        const std::uint64_t cr = bytes.equal(TextBytes::pattern('\r'));
        // Every LF and CR ends a line, but for an LF right behind a CR.
        lines += static_cast<std::size_t>(std::popcount(lf | cr)) -
                 static_cast<std::size_t>(std::popcount(lf & (cr << 1U | lastWasCr)));
        lastWasCr = cr >> 63U;
    }
    for (; at < text.size(); ++at) {
        lines +=
            (text[at] == '\n' || text[at] == '\r') && !(text[at] == '\n' && lastWasCr != 0) ? 1 : 0;
        lastWasCr = text[at] == '\r' ? 1 : 0;
    }
    return lines;
}

std::string_view withoutEndMark(std::string_view text)
{
    constexpr char kMark = '\x1A';
    const std::size_t last = text.find_last_not_of("\x1A\r\n");
    const std::size_t behind = last == std::string_view::npos ? 0 : last + 1;
    return text.substr(0, std::min(text.find(kMark, behind), text.size()));
}

bool isAscii(std::string_view text)
{
    std::size_t at = 0;
    for (; at + 64 <= text.size(); at += 64) {
        if (!TextBytes::at(text.data() + at).isAscii()) {
            return false;
        }
    }
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                       [](char byte) { return static_cast<unsigned char>(byte) < 0x80U; });
}

} // namespace cannery::storage
