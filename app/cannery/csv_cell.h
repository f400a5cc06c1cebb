// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::app {

/// A text as a CSV cell, quoted if it contains a comma, a quote or a line break.
std::string csvCell(const std::string& text);
/// Like csvCell(), appended to a line.
void appendCsvCell(std::string_view text, std::string& line);

/// Whether a spreadsheet would read a text as a formula: it begins with = + - @, a tab or a
/// carriage return, and is not a number.
bool looksLikeFormula(std::string_view text);

} // namespace cannery::app
