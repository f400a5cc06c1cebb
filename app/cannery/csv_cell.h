// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::app {

/// A text as a CSV cell: in quotes when it holds a comma, a quote or a line break.
std::string csvCell(const std::string& text);
/// The same, added to a line.
void appendCsvCell(std::string_view text, std::string& line);

/// Whether a spreadsheet would take a text for a formula: it begins with = + - @, a tab or a
/// carriage return, and is not a number.
bool looksLikeFormula(std::string_view text);

} // namespace cannery::app
