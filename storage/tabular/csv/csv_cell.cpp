// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_cell.h"

#include <charconv>
#include <system_error>

namespace cannery::storage {

namespace {

bool needsQuotes(std::string_view text, char delimiter)
{
    // Blanks separate only if the delimiter is one: then an empty cell would not be seen.
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

bool looksLikeFormula(std::string_view text)
{
    // What spreadsheet programs evaluate, also behind a tab or a carriage return.
    constexpr std::string_view kBeginnings = "=+-@\t\r";
    if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) {
        return false;
    }
    // -5 and +5 are numbers; from_chars() takes no plus.
    if (text.front() == '+') {
        text.remove_prefix(1);
    }
    double number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    return failure != std::errc() || end != text.data() + text.size();
}

std::string csvCell(const std::string& text)
{
    std::string cell;
    appendCsvCell(text, cell);
    return cell;
}

} // namespace cannery::storage
