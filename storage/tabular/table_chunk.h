// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/string_column.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cannery::storage {

/// Values of a column. Int32 and Int64 columns both hold int64_t; dtype says which range was
/// checked.
using ColumnValues =
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>, StringColumn>;

/// Empty values for a column of this dtype.
ColumnValues emptyValues(DType dtype);

/// One column of consecutive rows.
struct TableColumn
{
    std::string name;
    DType dtype = DType::String; ///< Float32, Float64, Int32, Int64 or String
    ColumnValues values;
    /// One byte per row, 0 where the cell is missing (its value is then 0 or ""); empty if no cell
    /// of these rows is missing.
    std::vector<std::uint8_t> validity;
    /// Values of a row, which are side by side; more than 1 only in a column that was requested as
    /// ColumnSchema::dense says.
    std::size_t width = 1;

    /// Rows.
    std::size_t size() const;
    bool isValid(std::size_t row) const { return validity.empty() || validity[row] != 0; }
    std::size_t missingCount() const;
    /// Marks one of `rows` rows as missing; unmarked rows are present.
    void markMissing(std::size_t row, std::size_t rows);

    template <typename T>
    const std::vector<T>& as() const
    {
        return std::get<std::vector<T>>(values);
    }
    template <typename T>
    std::vector<T>& as()
    {
        return std::get<std::vector<T>>(values);
    }
    const StringColumn& strings() const { return std::get<StringColumn>(values); }
    StringColumn& strings() { return std::get<StringColumn>(values); }

    bool operator==(const TableColumn&) const = default;
};

/// Consecutive rows of a table, column by column.
struct TableChunk
{
    std::vector<TableColumn> columns;
    std::size_t rows = 0;
    std::uint64_t firstRow = 0; ///< number of the first row over all files, from 0
    std::size_t file = 0;       ///< index of the file in the reader's list
    /// Physical line (from 1) on which each row begins; filled only if requested.
    std::vector<std::uint64_t> lines;
    /// Where each row begins in the file's decoded text, and where the text of this chunk, refused
    /// rows included, ends; filled only if requested.
    std::vector<std::uint64_t> offsets;
    std::uint64_t textEnd = 0;

    const TableColumn* find(std::string_view name) const;
};

/// The given rows of `column`, in that order.
TableColumn gather(const TableColumn& column, const std::vector<std::uint32_t>& rows);

} // namespace cannery::storage
