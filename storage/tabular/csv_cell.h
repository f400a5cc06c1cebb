// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::storage {

/// Appends a text as a cell of a CSV line: quoted if it contains the delimiter, a quote or a line
/// break. Where blanks separate cells (the delimiter is one), so is a tab, or an empty text.
void appendCsvCell(std::string_view text, std::string& line, char delimiter = ',');

} // namespace cannery::storage
