// SPDX-License-Identifier: Apache-2.0
#include "core/base/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace cannery {

namespace {

/// Length of the valid UTF-8 sequence at the beginning of a text, or 0. No overlong forms, no
/// surrogates, nothing beyond U+10FFFF.
std::size_t utf8Length(std::string_view text)
{
    const auto byte = [&](std::size_t i) {
        // Bytes beyond the end follow nothing.
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
        // Eight bytes of ASCII at a time, which most texts are.
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

bool isUtf8(std::string_view text)
{
    return findInvalidUtf8(text) == std::string_view::npos;
}

std::size_t characterCount(std::string_view text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), startsCharacter));
}

std::string_view wholeCharacters(std::string_view text, std::size_t mostBytes)
{
    if (text.size() <= mostBytes) {
        return text;
    }
    // Back to the beginning of a character.
    while (mostBytes > 0 && !startsCharacter(text[mostBytes])) {
        --mostBytes;
    }
    return text.substr(0, mostBytes);
}

std::string toUtf8(std::string_view text)
{
    constexpr std::string_view kReplacement = "\xEF\xBF\xBD"; // U+FFFD
    std::string valid;
    while (!text.empty()) {
        // Valid parts are copied as a whole.
        const std::size_t end = std::min(findInvalidUtf8(text), text.size());
        valid.append(text.substr(0, end));
        text.remove_prefix(end);
        if (!text.empty()) {
            valid.append(kReplacement);
            // One byte each: a valid character may begin with the next.
            text.remove_prefix(1);
        }
    }
    return valid;
}

} // namespace cannery
