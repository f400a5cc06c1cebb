// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_table.h"

#include "core/base/check.h"

#include <algorithm>
#include <limits>

namespace cannery::trees {

namespace {

constexpr auto kGroupColumns = static_cast<std::size_t>(kernels::kHistogramGroup);
constexpr auto kWidthUnit = static_cast<std::size_t>(kernels::kHistogramWidthUnit);

} // namespace

HistogramTable::HistogramTable(std::vector<HistogramColumn> columns, std::int64_t rows)
    : m_columns(std::move(columns)), m_rows(rows)
{
    // Rows are numbered in 32 bits.
    CANNERY_CHECK(rows <= std::numeric_limits<std::uint32_t>::max());
    for (const HistogramColumn& column : m_columns) {
        m_ranges.push_back({m_binCount, column.bins()});
        m_binCount += column.bins();
        m_bins.emplace_back(static_cast<std::size_t>(rows));
    }
    // Columns of a group lie side by side by row, for sums; each column also lies alone, for
    // splitting.
    for (std::size_t first = 0; first < m_columns.size(); first += kGroupColumns) {
        const std::size_t count = std::min(kGroupColumns, m_columns.size() - first);
        const std::size_t width = (count + kWidthUnit - 1) / kWidthUnit * kWidthUnit;
        m_groups.push_back({static_cast<std::int64_t>(width),
                            std::vector<std::uint8_t>(static_cast<std::size_t>(rows) * width)});
    }
}

void HistogramTable::setNumbers(std::size_t column, std::int64_t firstRow, std::int64_t count,
                                const float* values, std::int64_t stride)
{
    binNumbers(m_columns[column], values, stride,
               std::span(m_bins[column])
                   .subspan(static_cast<std::size_t>(firstRow), static_cast<std::size_t>(count)));
    copyToGroup(column, firstRow, count);
}

void HistogramTable::setCategories(std::size_t column, std::int64_t firstRow,
                                   std::span<const std::int32_t> ids)
{
    binCategories(
        m_columns[column], ids,
        std::span(m_bins[column]).subspan(static_cast<std::size_t>(firstRow), ids.size()));
    copyToGroup(column, firstRow, static_cast<std::int64_t>(ids.size()));
}

void HistogramTable::copyToGroup(std::size_t column, std::int64_t firstRow, std::int64_t count)
{
    Group& group = m_groups[column / kGroupColumns];
    const std::uint8_t* from = m_bins[column].data() + firstRow;
    std::uint8_t* to = group.bins.data() + firstRow * group.width + column % kGroupColumns;
    for (std::int64_t i = 0; i < count; ++i) {
        to[i * group.width] = from[i];
    }
}

std::span<const std::uint8_t> HistogramTable::bins(std::size_t column) const
{
    return m_bins[column];
}

kernels::BinnedGroup HistogramTable::group(std::size_t index) const
{
    return {m_groups[index].bins.data(), m_groups[index].width};
}

std::span<const kernels::HistogramRange> HistogramTable::rangesOf(std::size_t group) const
{
    const std::size_t first = group * kGroupColumns;
    return ranges().subspan(first, std::min(kGroupColumns, m_ranges.size() - first));
}

} // namespace cannery::trees
