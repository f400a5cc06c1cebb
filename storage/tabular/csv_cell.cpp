// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv_cell.h"

namespace cannery::storage {

void appendCsvCell(std::string_view text, std::string& line)
{
    if (text.find_first_of(",\"\n\r") == std::string_view::npos) {
        line += text;
        return;
    }
    line += '"';
    for (const char c : text) {
        if (c == '"') {
            line += '"';
        }
        line += c;
    }
    line += '"';
}

} // namespace cannery::storage
