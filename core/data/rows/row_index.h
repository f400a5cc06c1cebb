// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/rows/row_reader.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <vector>

namespace cannery::data {

/// Where every kEvery-th row of a table begins: half a byte per row. Rows are numbered from 0 over
/// all files; refused ones are not counted. Not thread-safe.
class RowIndex
{
public:
    static constexpr std::uint64_t kEvery = 16;

    /// Takes the chunks of one pass in order, with offsets.
    void add(const storage::TableChunk& chunk);

    std::uint64_t rows() const { return m_rows; }

    /// Where a row is, with the rows that are read together with it.
    struct Place
    {
        RowRange range;
        std::uint64_t firstRow = 0; ///< the row at range.begin
    };
    /// `row` must be below rows(). The range of the last rows grows while rows are added.
    Place placeOf(std::uint64_t row) const;

private:
    struct File
    {
        std::size_t file = 0;
        std::uint64_t firstRow = 0;
        std::uint64_t rows = 0;
        std::uint64_t end = 0;            ///< of the text added so far
        std::vector<std::uint64_t> marks; ///< where its rows 0, kEvery, 2 kEvery … begin
    };

    std::vector<File> m_files;
    std::uint64_t m_rows = 0;
};

} // namespace cannery::data
