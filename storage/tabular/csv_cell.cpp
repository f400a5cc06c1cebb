// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv_cell.h"

namespace cannery::storage {

namespace {

bool needsQuotes(std::string_view text, char delimiter)
{
    const bool isBlank = delimiter == ' ';
    return text.find(delimiter) != std::string_view::npos ||
           text.find_first_of(isBlank ? "\"\n\r\t" : "\"\n\r") != std::string_view::npos ||
           (isBlank && text.empty());
}

} // namespace

void appendCsvCell(std::string_view text, std::string& line, char delimiter)
{
    if (!needsQuotes(text, delimiter)) {
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
