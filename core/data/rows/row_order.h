// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/browse_work.h"
#include "core/data/typing/text_ranks.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <vector>

namespace cannery::data {

/// Rows in the order of one column's values: numbers by size (NaN last), texts byte by byte,
/// ignoring the case of A to Z; equal ones in file order; rows without a value at the end.
struct RowOrder
{
    std::vector<std::uint32_t> rows;
    std::size_t withValue = 0;     ///< the number of rows with a value, which come first
    std::vector<bool> beginsValue; ///< for each of these: its value differs from the one before

    /// Largest values first; equal ones stay in file order, and rows without a value at the end.
    RowOrder descending() const;
};

/// Collects the values of a column and sorts its rows. Takes 12 bytes per row, twice that while
/// sorting, and the distinct texts (see TextRanks). One thread.
class RowSorter
{
public:
    /// `firstRow` is the number of the first cell's row. Only rows whose byte in `wanted` is not 0
    /// are sorted, or all if it is empty. Errors: texts that need too much memory.
    Result<void> add(const storage::TableColumn& column, std::uint32_t firstRow,
                     const std::vector<std::uint8_t>& wanted);

    /// Errors: Cancelled if the work is stopped.
    Result<RowOrder> sort(const BrowseWork& work) &&;

private:
    std::vector<std::uint32_t> m_rows;
    std::vector<std::uint64_t> m_keys; ///< of the same rows, in the order of their values
    std::vector<std::uint32_t> m_missing;
    TextRanks m_texts;
    bool m_isText = false;
};

} // namespace cannery::data
