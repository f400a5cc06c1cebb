#include "app/cannery/csv_cell.h"

namespace cannery::app {

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

std::string csvCell(const std::string& text)
{
    std::string cell;
    appendCsvCell(text, cell);
    return cell;
}

} // namespace cannery::app
