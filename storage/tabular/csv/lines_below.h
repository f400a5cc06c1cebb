// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/tabular/csv/csv_errors.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cannery::storage {

/// Tells the lines below a table (notes, totals) from bad rows: records with fewer cells than the
/// table, and those of any other width behind them, after the last row of their file. Whether a
/// record is one is known only at the end of its file; until then it counts as neither. Sees the
/// blocks of a table in order. One thread.
class LinesBelow
{
public:
    /// Files with more such lines, or without a row above them, have bad rows.
    static constexpr std::size_t kMostLines = 100;

    /// The bad rows of a block: keeps back those that may be lines below the table, and adds those
    /// of earlier blocks that are not. `lastRow`: the offset of the block's last good row; nothing
    /// if it has none. `count`: of the bad rows, which may be more than are in the list.
    void sift(std::size_t file, std::optional<std::uint64_t> lastRow, std::vector<BadRow>& rows,
              std::uint64_t& count);
    /// The end of the table.
    void finish() { endFile(); }

    /// How many lines were found.
    std::uint64_t count() const { return m_count; }
    /// "t.csv: the lines 85 to 87, below the table, are not rows: Source: …", for each file.
    const std::vector<std::string>& remarks() const { return m_remarks; }

private:
    void endFile();
    void giveBack(std::vector<BadRow>& rows, std::uint64_t& count);

    std::size_t m_file = 0;
    bool m_sawRow = false;
    std::vector<BadRow> m_pending;
    std::uint64_t m_count = 0;
    std::vector<std::string> m_remarks;
};

} // namespace cannery::storage
