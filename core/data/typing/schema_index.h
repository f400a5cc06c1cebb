// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/typing/schema.h"

#include <string_view>
#include <unordered_map>

namespace cannery::data {

/// The columns of a table by name, for requests of many. Valid while the schema exists unchanged.
class SchemaIndex
{
public:
    explicit SchemaIndex(const TableSchema& schema);

    /// Null if there is none.
    const ColumnSchema* find(std::string_view columnName) const;

private:
    std::unordered_map<std::string_view, const ColumnSchema*> m_columns;
};

} // namespace cannery::data
