// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/csv_cell.h"

#include <charconv>
#include <system_error>

namespace cannery::app {

bool looksLikeFormula(std::string_view text)
{
    constexpr std::string_view kBeginnings = "=+-@\t\r";
    if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) {
        return false;
    }
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

} // namespace cannery::app
