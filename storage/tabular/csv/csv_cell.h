// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::storage {

/// Appends a text as a cell of a CSV line: quoted if it contains the delimiter, a quote or a line
/// break. Where blanks separate cells (the delimiter is one), so is a tab, or an empty text.
void appendCsvCell(std::string_view text, std::string& line, char delimiter = ',');

/// A text as a CSV cell, quoted if it contains a comma, a quote or a line break.
std::string csvCell(const std::string& text);

/// Whether a spreadsheet would read a text as a formula: it begins with = + - @, a tab or a
/// carriage return, and is not a number.
bool looksLikeFormula(std::string_view text);

} // namespace cannery::storage
