// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery {

/// Offset of the first byte that is not valid UTF-8, or npos. Overlong forms, surrogates and code
/// points beyond U+10FFFF are invalid.
std::size_t findInvalidUtf8(std::string_view text);

bool isUtf8(std::string_view text);

/// Whether a byte of a UTF-8 text begins a character: all but continuation bytes do.
constexpr bool startsCharacter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

std::size_t characterCount(std::string_view text);

/// The beginning of a text: whole characters, of at most so many bytes together.
std::string_view wholeCharacters(std::string_view text, std::size_t mostBytes);

/// The text, with each byte that is not valid UTF-8 replaced by U+FFFD. For display: file names and
/// foreign texts may contain any bytes.
std::string toUtf8(std::string_view text);

} // namespace cannery
