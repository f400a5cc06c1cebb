// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/csv/csv_limits.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace cannery::storage {

std::size_t CsvLimit::value() const
{
    const char* setting = std::getenv(variable);
    if (setting == nullptr) {
        return standard;
    }
    const std::string_view text = setting;
    std::size_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    // More digits than a number holds mean "as much as possible".
    if (failure == std::errc::result_out_of_range) {
        return most;
    }
    const bool isNumber = failure == std::errc() && end == text.data() + text.size();
    return isNumber ? std::clamp(number, least, most) : standard;
}

} // namespace cannery::storage
