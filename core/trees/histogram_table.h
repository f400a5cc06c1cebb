// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_column.h"
#include "kernels/ops/gradient_histogram.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// A table as bins: by column, to split the rows of a leaf, and in groups of columns whose bins lie
/// side by side, to sum gradients. At most 2^32 - 1 rows. Threads may set different rows at once.
class HistogramTable
{
public:
    HistogramTable(std::vector<HistogramColumn> columns, std::int64_t rows);

    std::int64_t rowCount() const { return m_rows; }
    std::span<const HistogramColumn> columns() const { return m_columns; }

    /// The numbers of rows from `firstRow` on: values[i * stride].
    void setNumbers(std::size_t column, std::int64_t firstRow, std::int64_t count,
                    const float* values, std::int64_t stride);
    /// The categories of rows from `firstRow` on; negative: missing.
    void setCategories(std::size_t column, std::int64_t firstRow,
                       std::span<const std::int32_t> ids);

    /// The bins of all rows.
    std::span<const std::uint8_t> bins(std::size_t column) const;

    std::size_t groupCount() const { return m_groups.size(); }
    kernels::BinnedGroup group(std::size_t index) const;
    /// Where the columns of a group are in sums over the whole table.
    std::span<const kernels::HistogramRange> rangesOf(std::size_t group) const;
    std::span<const kernels::HistogramRange> ranges() const { return m_ranges; }
    /// Bins of all columns, in such sums.
    std::int64_t binCount() const { return m_binCount; }

private:
    struct Group
    {
        std::int64_t width = 0;
        std::vector<std::uint8_t> bins;
    };
    void copyToGroup(std::size_t column, std::int64_t firstRow, std::int64_t count);

    std::vector<HistogramColumn> m_columns;
    std::int64_t m_rows;
    std::int64_t m_binCount = 0;
    std::vector<kernels::HistogramRange> m_ranges;
    std::vector<std::vector<std::uint8_t>> m_bins;
    std::vector<Group> m_groups;
};

} // namespace cannery::trees
