// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/schema_index.h"

namespace cannery::data {

SchemaIndex::SchemaIndex(const TableSchema& schema)
{
    m_columns.reserve(schema.columns.size());
    for (const ColumnSchema& column : schema.columns) {
        m_columns.emplace(column.name, &column);
    }
}

const ColumnSchema* SchemaIndex::find(std::string_view columnName) const
{
    const auto found = m_columns.find(columnName);
    return found == m_columns.end() ? nullptr : found->second;
}

} // namespace cannery::data
