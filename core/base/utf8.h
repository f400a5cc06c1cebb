// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cannery {

/// Offset of the first byte that is not valid UTF-8, or npos. Overlong forms, surrogates and what
/// lies beyond U+10FFFF are not valid.
std::size_t findInvalidUtf8(std::string_view text);

bool isUtf8(std::string_view text);

/// The text as it is when it is valid UTF-8; each byte that is not becomes U+FFFD. For what is
/// shown: names of files and texts of others may hold any bytes.
std::string toUtf8(std::string_view text);

} // namespace cannery
