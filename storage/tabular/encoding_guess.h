// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv_dialect.h"

#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The encoding of a text that is not UTF-8: windows1252 if its letters beyond ASCII mostly stand
/// alone between others, as in the languages that spreadsheets save so; nothing if it is UTF-8 or
/// may be something else.
std::optional<TextEncoding> guessEncoding(std::string_view text);

/// The same for the first bytes of a file, decompressed; nothing if it cannot be read.
std::optional<TextEncoding> guessEncodingOf(const std::string& path);

} // namespace cannery::storage
