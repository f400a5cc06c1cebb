// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/typing/typed_column.h"
#include "storage/tabular/npy_array.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::data {

/// Where a column is in an archive.
struct NpzPlace
{
    std::string array;
    std::uint64_t at = 0;    ///< in the second dimension
    std::uint64_t width = 1; ///< of the second dimension
    storage::NpyKind kind = storage::NpyKind::Float;
    std::size_t itemBytes = 0;
};

/// The columns of an archive and its number of rows.
struct NpzLayout
{
    std::vector<std::string> names;
    std::vector<NpzPlace> places;
    std::uint64_t rows = 0;
    std::vector<std::string> leftOut; ///< arrays that are one value
};

Result<NpzLayout> npzLayout(const std::string& file);

/// Rows of some columns of one archive, in order. One thread.
class NpzRows
{
public:
    /// `first`: the row to begin with.
    static Result<NpzRows> open(const std::string& file, const std::vector<NpzPlace>& places,
                                std::uint64_t first = 0);

    /// Reads the next rows, at most so many; returns their number, 0 at the end.
    Result<std::size_t> next(std::size_t most);

    /// A cell of the rows read last, as the value of a row of a column.
    CellFault copyCell(std::size_t place, std::size_t row, std::size_t to, TypedColumn& column);
    /// The same as text.
    std::string cellText(std::size_t place, std::size_t row);

private:
    struct Array
    {
        std::string name;
        storage::ByteSource bytes;
        std::size_t rowBytes = 0;
        std::string block; ///< the rows read last
    };

    struct Column
    {
        NpzPlace place;
        std::size_t array = 0; ///< index into the arrays
    };

    const char* cell(const Column& column, std::size_t row) const;

    std::string m_file;
    std::vector<Array> m_arrays;
    std::vector<Column> m_columns;
    std::uint64_t m_left = 0;
    std::string m_scratch;
};

} // namespace cannery::data
