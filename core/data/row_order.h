// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/browse_work.h"
#include "core/data/text_ranks.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <vector>

namespace cannery::data {

/// Rows in the order of one column's values: numbers by size (NaN last), texts byte by byte without
/// regard to the case of A to Z; rows without a value at the end; equal ones in file order.
struct RowOrder
{
    std::vector<std::uint32_t> rows;
    std::size_t withValue = 0;     ///< how many of them have one: the first ones
    std::vector<bool> beginsValue; ///< of those: another value than that of the row before

    /// From the largest value to the smallest; rows without a value stay at the end, and equal ones
    /// in file order.
    RowOrder descending() const;
};

/// Collects the values of a column and sorts its rows: 12 bytes a row, twice as many while
/// sorting, and the different texts (see TextRanks). One thread.
class RowSorter
{
public:
    /// The chunk's rows are `firstRow` and on; only those whose byte in `wanted` is not 0 are
    /// sorted, all of them if it is empty. Errors: texts that need too much memory.
    Result<void> add(const storage::TableColumn& column, std::uint32_t firstRow,
                     const std::vector<std::uint8_t>& wanted);

    /// Cancelled if the work is stopped. Leaves nothing behind to sort again.
    Result<RowOrder> sort(const BrowseWork& work) &&;

private:
    std::vector<std::uint32_t> m_rows;
    std::vector<std::uint64_t> m_keys; ///< of the same rows, ordered as their values
    std::vector<std::uint32_t> m_missing;
    TextRanks m_texts;
    bool m_isText = false;
};

} // namespace cannery::data
