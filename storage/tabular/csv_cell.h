// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace cannery::storage {

/// Appends a text as a cell of a CSV line: quoted if it contains a comma, a quote or a line break.
void appendCsvCell(std::string_view text, std::string& line);

} // namespace cannery::storage
