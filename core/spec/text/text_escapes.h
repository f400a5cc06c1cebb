// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cannery::spec {

/// The bytes that the inside of a quoted text represents. The escapes are those of protobuf's text
/// format: \n \r \t \a \b \f \v \\ \? \' \" \ooo \xhh \uhhhh \Uhhhhhhhh. Nothing if an escape is
/// malformed; `badOffset` then says where.
std::optional<std::string> unescape(std::string_view inside, std::size_t& badOffset);

/// The text in double quotes; UTF-8 is kept unescaped.
std::string quotedText(std::string_view bytes);

} // namespace cannery::spec
