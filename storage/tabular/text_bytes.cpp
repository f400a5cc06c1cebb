#include "storage/tabular/text_bytes.h"

#include "storage/tabular/byte_masks.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace cannery::storage {

std::size_t countLines(std::string_view text)
{
    std::size_t lines = 0;
    std::size_t at = 0;
    std::uint64_t lastWasCr = 0; // the LF of a pair ends no line of its own
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

namespace {

/// Length of the valid UTF-8 sequence at the beginning of a text, or 0. No overlong forms, no
/// surrogates, nothing beyond U+10FFFF.
std::size_t utf8Length(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
    const unsigned first = byte(0);
    if (first < 0x80U) {
        return 1;
    }
    if (first >= 0xC2U && first <= 0xDFU) {
        return follows(1) ? 2 : 0;
    }
    if (first >= 0xE0U && first <= 0xEFU) {
        const bool isOverlong = first == 0xE0U && byte(1) < 0xA0U;
        const bool isSurrogate = first == 0xEDU && byte(1) > 0x9FU;
        return follows(1) && follows(2) && !isOverlong && !isSurrogate ? 3 : 0;
    }
    if (first >= 0xF0U && first <= 0xF4U) {
        const bool isOverlong = first == 0xF0U && byte(1) < 0x90U;
        const bool isBeyond = first == 0xF4U && byte(1) > 0x8FU;
        return follows(1) && follows(2) && follows(3) && !isOverlong && !isBeyond ? 4 : 0;
    }
    return 0;
}

} // namespace

std::size_t findInvalidUtf8(std::string_view text)
{
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t word = 0;
        if (i + 8 <= text.size()) {
            std::memcpy(&word, text.data() + i, 8);
            if ((word & 0x8080808080808080U) == 0) {
                i += 8;
                continue;
            }
        }
        const std::size_t length = utf8Length(text.substr(i));
        if (length == 0) {
            return i;
        }
        i += length;
    }
    return std::string_view::npos;
}

} // namespace cannery::storage
