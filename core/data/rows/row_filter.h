// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/data/sources/data_source.h"
#include "core/data/typing/schema.h"
#include "storage/tabular/table_chunk.h"

#include <tl/expected.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

/// What is wrong with a filter, and where.
struct FilterProblem
{
    std::size_t position = 0; ///< in characters
    std::size_t length = 0;   ///< 0 if the text ends too early
    Error error;
};

/// A filter for the rows of a table: `age > 30 and education = "Masters"`, in the language of
/// core/filter/filter_syntax.h. Texts are compared ignoring the case of A to Z. A comparison with a
/// missing cell or NaN is false, `!=` included. Immutable; thread-safe; copies are cheap.
class RowFilter
{
public:
    class Condition;

    /// An empty filter matches every row.
    static tl::expected<RowFilter, FilterProblem> parse(std::string_view text,
                                                        const TableSchema& schema);

    bool isEmpty() const { return !m_root; }
    /// The columns that chunks must have for match().
    const std::vector<ColumnRequest>& columns() const { return m_columns; }
    /// 1 for each row of the chunk that matches, otherwise 0.
    std::vector<std::uint8_t> match(const storage::TableChunk& chunk) const;

private:
    std::shared_ptr<const Condition> m_root;
    std::vector<ColumnRequest> m_columns;
};

/// How to read a column whose values are compared as they are written: floats as doubles.
ColumnRequest comparedColumn(const ColumnSchema& column);

} // namespace cannery::data
