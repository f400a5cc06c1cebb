#include "core/data/schema.h"

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
    const auto found =
        std::find_if(columns.begin(), columns.end(),
                     [&](const ColumnSchema& column) { return column.name == columnName; });
    return found == columns.end() ? nullptr : &*found;
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
