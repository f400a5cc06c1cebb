// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace cannery::storage {

/// What stands between the words and lines of a text.
inline constexpr std::string_view kTextBlanks = " \t\r\n";

/// Number of line ends (LF, CRLF or CR) in a text.
std::size_t countLines(std::string_view text);

/// The text of a whole file without what marks its end (Ctrl-Z, as DOS and CP/M write it).
std::string_view withoutEndMark(std::string_view text);

/// Whether no byte is above 0x7F.
bool isAscii(std::string_view text);

} // namespace cannery::storage
