// SPDX-License-Identifier: Apache-2.0
#include "storage/tabular/table_chunk.h"

#include "core/base/check.h"

#include <algorithm>

namespace cannery::storage {

ColumnValues emptyValues(DType dtype)
{
    switch (dtype) {
    case DType::Float32:
        return std::vector<float>();
    case DType::Float64:
        return std::vector<double>();
    case DType::Int32:
    case DType::Int64:
        return std::vector<std::int64_t>();
    default:
        return StringColumn();
    }
}

std::size_t TableColumn::size() const
{
    return std::visit([](const auto& list) { return list.size(); }, values) / width;
}

std::size_t TableColumn::missingCount() const
{
    return static_cast<std::size_t>(std::count(validity.begin(), validity.end(), 0));
}

void TableColumn::markMissing(std::size_t row, std::size_t rows)
{
    // Most columns have no missing value and need no mask: it is made for the first.
    if (validity.size() < rows) {
        validity.resize(rows, 1);
    }
    validity[row] = 0;
}

const TableColumn* TableChunk::find(std::string_view name) const
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const TableColumn& column) { return column.name == name; });
    return found == columns.end() ? nullptr : &*found;
}

namespace {

template <typename T>
std::vector<T> gatherValues(const std::vector<T>& values, const std::vector<std::uint32_t>& rows,
                            std::size_t width)
{
    std::vector<T> picked;
    picked.reserve(rows.size() * width);
    for (const std::uint32_t row : rows) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        picked.insert(picked.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
    }
    return picked;
}

StringColumn gatherValues(const StringColumn& values, const std::vector<std::uint32_t>& rows,
                          std::size_t /*width*/)
{
    StringColumn picked;
    picked.reserve(rows.size(), 0);
    for (const std::uint32_t row : rows) {
        picked.push_back(values[row]);
    }
    return picked;
}

} // namespace

TableColumn gather(const TableColumn& column, const std::vector<std::uint32_t>& rows)
{
    TableColumn picked{.name = column.name,
                       .dtype = column.dtype,
                       .values = {},
                       .validity = {},
                       .width = column.width};
    std::visit([&](const auto& list) { picked.values = gatherValues(list, rows, column.width); },
               column.values);
    if (!column.validity.empty()) {
        CANNERY_CHECK(column.validity.size() == column.size());
        picked.validity = gatherValues(column.validity, rows, 1);
    }
    return picked;
}

} // namespace cannery::storage
