// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv_cell.h"

#include <string>
#include <string_view>

namespace cannery::app {

/// A text as a CSV cell, quoted if it contains a comma, a quote or a line break.
std::string csvCell(const std::string& text);
using storage::appendCsvCell;

/// Whether a spreadsheet would read a text as a formula: it begins with = + - @, a tab or a
/// carriage return, and is not a number.
bool looksLikeFormula(std::string_view text);

} // namespace cannery::app
