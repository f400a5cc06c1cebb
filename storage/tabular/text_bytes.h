// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace cannery::storage {

/// Number of line ends (LF, CRLF or CR) in a text.
std::size_t countLines(std::string_view text);

/// Whether no byte is above 0x7F.
bool isAscii(std::string_view text);

} // namespace cannery::storage
