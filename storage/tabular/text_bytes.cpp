// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/text_bytes.h"

#include "storage/tabular/byte_masks.h"

#include <algorithm>
#include <bit>

namespace cannery::storage {

std::size_t countLines(std::string_view text)
{
    std::size_t lines = 0;
    std::size_t at = 0;
    std::uint64_t lastWasCr = 0; // the LF of a pair does not end another line
    for (; at + 64 <= text.size(); at += 64) {
        const auto* source = reinterpret_cast<const __m256i*>(text.data() + at);
        const __m256i low = _mm256_loadu_si256(source);
        const __m256i high = _mm256_loadu_si256(source + 1);
        const std::uint64_t lf = equalBytes(low, high, _mm256_set1_epi8('\n'));
        const std::uint64_t cr = equalBytes(low, high, _mm256_set1_epi8('\r'));
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

bool isAscii(std::string_view text)
{
    std::size_t at = 0;
    for (; at + 64 <= text.size(); at += 64) {
        const auto* source = reinterpret_cast<const __m256i*>(text.data() + at);
        const __m256i both =
            _mm256_or_si256(_mm256_loadu_si256(source), _mm256_loadu_si256(source + 1));
        if (_mm256_movemask_epi8(both) != 0) {
            return false;
        }
    }
    return std::all_of(text.begin() + static_cast<std::ptrdiff_t>(at), text.end(),
                       [](char byte) { return static_cast<unsigned char>(byte) < 0x80U; });
}

} // namespace cannery::storage
