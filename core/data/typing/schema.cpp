// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/schema.h"

#include <algorithm>

namespace cannery::data {

std::string_view name(ColumnKind kind)
{
    switch (kind) {
    case ColumnKind::Number:
        return "number";
    case ColumnKind::Category:
        return "category";
    case ColumnKind::Identifier:
        return "identifier";
    case ColumnKind::Date:
        return "date";
    case ColumnKind::FreeText:
        return "free text";
    case ColumnKind::Constant:
        return "constant";
    case ColumnKind::Empty:
        return "empty";
    }
    return "category";
}

const ColumnSchema* TableSchema::find(std::string_view columnName) const
{
    return find(columnName, 0);
}

const ColumnSchema* TableSchema::find(std::string_view columnName, std::size_t place) const
{
    const auto isIt = [&](const ColumnSchema& column) { return column.name == columnName; };
    const auto middle =
        columns.begin() + static_cast<std::ptrdiff_t>(std::min(place, columns.size()));
    auto found = std::find_if(middle, columns.end(), isIt);
    if (found == columns.end()) {
        found = std::find_if(columns.begin(), middle, isIt);
        return found == middle ? nullptr : &*found;
    }
    return &*found;
}

std::vector<std::string> TableSchema::names() const
{
    std::vector<std::string> list;
    for (const ColumnSchema& column : columns) {
        list.push_back(column.name);
    }
    return list;
}

} // namespace cannery::data
