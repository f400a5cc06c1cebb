// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/row_reader.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <vector>

namespace cannery::data {

/// Where the rows of a table begin, for every kEvery-th row: half a byte a row. Rows are numbered
/// from 0 over all files, without those that were refused. Not thread-safe.
class RowIndex
{
public:
    static constexpr std::uint64_t kEvery = 16;

    /// Chunks with offsets, of one pass, in order.
    void add(const storage::TableChunk& chunk);

    std::uint64_t rows() const { return m_rows; }

    /// The rows that are read together with one.
    struct Place
    {
        RowRange range;
        std::uint64_t firstRow = 0; ///< the row at range.begin
    };
    /// `row` is below rows(). The range of the last rows grows while rows are added.
    Place placeOf(std::uint64_t row) const;

private:
    struct File
    {
        std::size_t file = 0;
        std::uint64_t firstRow = 0;
        std::uint64_t rows = 0;
        std::uint64_t end = 0;            ///< of the text added so far
        std::vector<std::uint64_t> marks; ///< of its rows 0, kEvery, 2 kEvery …
    };

    std::vector<File> m_files;
    std::uint64_t m_rows = 0;
};

} // namespace cannery::data
