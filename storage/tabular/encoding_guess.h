// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv/csv_dialect.h"

#include <optional>
#include <string>
#include <string_view>

namespace cannery::storage {

/// The encoding of Windows that a text is in which is not UTF-8, by the letters that languages
/// need: those of Latin scripts mostly stand alone between letters of ASCII, Cyrillic and Greek
/// words have none of these. Nothing if it is UTF-8, or may be in an encoding of several bytes for
/// a character.
std::optional<TextEncoding> guessEncoding(std::string_view text);

/// The same for the first bytes of a file, decompressed; nothing if it cannot be read.
std::optional<TextEncoding> guessEncodingOf(const std::string& path);

} // namespace cannery::storage
