// SPDX-License-Identifier: Apache-2.0
#include "core/data/statistics.h"

#include "core/base/check.h"
#include "core/data/quantile_sketch.h"
#include "core/data/typing/number_summary.h"
#include "core/data/value_counter.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <ranges>
#include <span>
#include <type_traits>

namespace cannery::data {

using storage::TableChunk;
using storage::TableColumn;

namespace {

/// What one column has shown so far.
class ColumnCollector
{
public:
    ColumnCollector(const TableColumn& column, std::size_t columns)
        // Memory is shared by the columns: a wide table gets smaller sketches, within limits.
        : m_sketch(std::clamp<std::size_t>((4U << 20U) / columns, 4096, 32768)),
          m_counter(std::clamp<std::size_t>((1U << 20U) / columns, 1024,
                                            isFloating(column.dtype) ? 4096 : 32768))
    {
        m_known.name = column.name;
        m_known.dtype = column.dtype;
    }

    void add(const TableColumn& column, std::size_t rows)
    {
        // Missing values are counted apart, and by no other number.
        const std::size_t missing = column.missingCount();
        m_known.missing += missing;
        m_known.count += rows - missing;
        std::visit(
            [&](const auto& list) {
                if constexpr (std::is_same_v<std::decay_t<decltype(list)>, StringColumn>) {
                    addTexts(column, list, rows);
                } else if (missing == 0) {
                    addNumbers(std::span(list.data(), rows));
                } else {
                    addNumbers(std::span<const std::ranges::range_value_t<decltype(list)>>(
                        presentOf(column, list, rows)));
                }
            },
            column.values);
    }

    ColumnStatistics finish(const StatisticsOptions& options) const
    {
        // On a copy, since the last group may not be full yet, and more chunks may follow.
        // The columns are copied, not the table: a few megabytes.
        ColumnCollector all = *this;
        all.endGroup();
        return all.described(options);
    }

private:
    ColumnStatistics described(const StatisticsOptions& options) const
    {
        // The count of distinct values is an estimate once there are too many.
        ColumnStatistics known = m_known;
        known.distinct = m_counter.distinct();
        known.distinctIsExact = m_counter.isExact();
        known.topIsExact = m_counter.isExact();
        known.top = top(options.topValues);
        known.nan = m_group.nan();
        known.infinite = m_group.infinite();
        if (m_summary.count > 0) {
            known.min = m_summary.min;
            known.max = m_summary.max;
            known.zeros = m_summary.zeros;
            // Zeros are known exactly, as they are counted and not sampled.
            known.mean = m_summary.mean;
            // Of the whole column, not of a sample: divided by the count.
            known.deviation = std::sqrt(m_summary.squares / static_cast<double>(m_summary.count));
            known.quantiles = m_sketch.quantiles(100);
            known.median = m_sketch.lowerMedian();
            // A sketch may have lost the extremes, which are known exactly.
            known.quantiles.front() = known.min;
            known.quantiles.back() = known.max;
            known.quantilesAreExact = m_sketch.isExact();
            known.histogram = histogram(options.histogramBars);
        }
        if (known.dtype == DType::String && known.count > 0) {
            // In bytes; characters would have to be decoded.
            known.meanLength = static_cast<double>(m_length) / static_cast<double>(known.count);
        }
        return known;
    }

    template <typename T>
    static std::vector<T> presentOf(const TableColumn& column, const std::vector<T>& list,
                                    std::size_t rows)
    {
        std::vector<T> present;
        present.reserve(rows);
        for (std::size_t row = 0; row < rows; ++row) {
            if (column.isValid(row)) {
                present.push_back(list[row]);
            }
        }
        return present;
    }

    void addTexts(const TableColumn& column, const StringColumn& list, std::size_t rows)
    {
        for (std::size_t row = 0; row < rows; ++row) {
            if (column.isValid(row)) {
                const std::string_view text = list[row];
                m_counter.addText(text);
                m_length += text.size();
                m_known.maxLength = std::max<std::uint64_t>(m_known.maxLength, text.size());
            }
        }
    }

    template <typename T>
    void addNumbers(std::span<const T> values)
    {
        // Groups end by count alone, whatever chunks the values come in, so sums have the same
        // bits.
        while (!values.empty()) {
            const std::size_t taken = m_group.take(values);
            if constexpr (std::is_same_v<T, std::int64_t>) {
                // By its own bits: as a double it could collide with its neighbours.
                m_counter.addAll({reinterpret_cast<const std::uint64_t*>(values.data()), taken});
            }
            values = values.subspan(taken);
            if (m_group.isFull()) {
                endGroup();
            }
        }
    }

    void endGroup()
    {
        const std::span<const double> values = m_group.values();
        m_summary.addGroup(values);
        m_sketch.addAll(values);
        // Integers were counted when they were taken; here they are doubles already.
        if (isFloating(m_known.dtype)) {
            std::array<std::uint64_t, FiniteGroups::kSize> bits;
            for (std::size_t i = 0; i < values.size(); ++i) {
                bits[i] = std::bit_cast<std::uint64_t>(values[i] + 0.0); // no negative zero
            }
            m_counter.addAll({bits.data(), values.size()});
        }
        m_group.clear();
    }

    std::string textOf(const ValueCounter::Count& row) const
    {
        switch (m_known.dtype) {
        case DType::String:
            return row.text;
        case DType::Float32:
            // Shortest text that gives the same float, not the double's.
            return fmt::format("{}", static_cast<float>(std::bit_cast<double>(row.key)));
        case DType::Float64:
            return fmt::format("{}", std::bit_cast<double>(row.key));
        default:
            return fmt::format("{}", static_cast<std::int64_t>(row.key));
        }
    }

    std::vector<ValueCount> top(std::size_t limit) const
    {
        std::vector<ValueCounter::Count> counts = m_counter.counts();
        // A total order: equal counts would otherwise be listed by chance.
        const auto isBefore = [](const ValueCounter::Count& a, const ValueCounter::Count& b) {
            return a.count != b.count ? a.count > b.count
                   : a.text != b.text ? a.text < b.text
                                      : a.key < b.key;
        };
        const std::size_t kept = std::min(limit, counts.size());
        std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                          counts.end(), isBefore);
        std::vector<ValueCount> list;
        for (std::size_t i = 0; i < kept; ++i) {
            list.push_back({textOf(counts[i]), counts[i].count});
        }
        return list;
    }

    Histogram histogram(std::size_t bars) const
    {
        Histogram histogram{.begin = m_summary.min, .end = m_summary.max, .counts = {}};
        // A single value has one bar without width.
        const bool isPoint = histogram.begin == histogram.end;
        histogram.counts.resize(isPoint ? 1 : std::max<std::size_t>(1, bars));
        const double width =
            (histogram.end - histogram.begin) / static_cast<double>(histogram.counts.size());
        // Bars are estimated by the sketch's samples, each of which stands for `weight` values.
        for (const double value : m_sketch.samples()) {
            const double place = width > 0 ? (value - histogram.begin) / width : 0;
            // Rounding may put the largest value behind the last bar.
            const auto bar = std::min(static_cast<std::size_t>(std::max(0.0, place)),
                                      histogram.counts.size() - 1);
            histogram.counts[bar] += m_sketch.weight();
        }
        return histogram;
    }

    ColumnStatistics m_known;
    NumberSummary m_summary;
    FiniteGroups m_group; ///< values not yet in summary and sketch
    QuantileSketch m_sketch;
    ValueCounter m_counter;
    std::uint64_t m_length = 0;
};

} // namespace

const ColumnStatistics* TableStatistics::find(std::string_view column) const
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const auto& known) { return known.name == column; });
    return found == columns.end() ? nullptr : &*found;
}

const ColumnStatistics* TableStatistics::find(std::string_view column, std::size_t place) const
{
    // Usually the columns have the table's order, and the search is saved.
    const bool isThere = place < columns.size() && columns[place].name == column;
    return isThere ? &columns[place] : find(column);
}

class StatisticsCollector::Impl
{
public:
    StatisticsOptions options;
    std::uint64_t rows = 0;
    std::vector<ColumnCollector> columns;
};

StatisticsCollector::StatisticsCollector(StatisticsOptions options)
    : m_impl(std::make_unique<Impl>())
{
    m_impl->options = options;
}

StatisticsCollector::~StatisticsCollector() = default;
StatisticsCollector::StatisticsCollector(StatisticsCollector&&) noexcept = default;
StatisticsCollector& StatisticsCollector::operator=(StatisticsCollector&&) noexcept = default;

Result<void> StatisticsCollector::add(const TableChunk& chunk, const LentThreads& threads)
{
    // The first chunk shows which columns there are.
    if (m_impl->rows == 0) {
        m_impl->columns.clear();
        for (const TableColumn& column : chunk.columns) {
            m_impl->columns.emplace_back(column, chunk.columns.size());
        }
    }
    CANNERY_CHECK(m_impl->columns.size() == chunk.columns.size());
    m_impl->rows += chunk.rows;
    // One column is one task: no thread adds to another's sums, so any number gives the same bits.
    return threads.tryAll("the statistics of a table",
                          static_cast<std::int64_t>(chunk.columns.size()),
                          [&](std::int64_t column) -> Result<void> {
                              const auto i = static_cast<std::size_t>(column);
                              m_impl->columns[i].add(chunk.columns[i], chunk.rows);
                              return {};
                          });
}

TableStatistics StatisticsCollector::finish() const
{
    TableStatistics statistics;
    statistics.rows = m_impl->rows;
    for (const ColumnCollector& column : m_impl->columns) {
        statistics.columns.push_back(column.finish(m_impl->options));
    }
    return statistics;
}

} // namespace cannery::data
