// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cannery {

/// The known name nearest to a misspelt one by edit distance, or empty if none is close.
std::string nearestName(std::string_view name, const std::vector<std::string>& known);

/// " Did you mean 'x'?" if a known name is close; otherwise " Known: a, b, c." (at most 12 names).
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// The row of a family's table whose `key` member equals the key, or nullptr.
template <typename Rows, typename Key>
const typename Rows::value_type* findRow(const Rows& rows, const Key& key)
{
    for (const auto& row : rows) {
        if (row.key == key) {
            return &row;
        }
    }
    return nullptr;
}

} // namespace cannery
