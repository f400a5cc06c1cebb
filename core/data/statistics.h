// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "storage/tabular/table_chunk.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

struct ValueCount
{
    std::string value;
    std::uint64_t count = 0;

    bool operator==(const ValueCount&) const = default;
};

/// Bars of equal width between the smallest and the largest finite value.
struct Histogram
{
    double begin = 0;
    double end = 0;
    std::vector<double> counts; ///< estimated when quantilesAreExact is false
};

/// What one pass over its rows has found about a column.
struct ColumnStatistics
{
    std::string name;
    DType dtype = DType::String;
    std::uint64_t count = 0; ///< cells that are not missing
    std::uint64_t missing = 0;
    std::uint64_t distinct = 0;
    /// Exact up to 32768, for floats up to 4096 (fewer in wide tables); beyond that about 2 % off.
    bool distinctIsExact = true;

    // Numbers; NaN and infinities are counted, and excluded from everything else.
    std::uint64_t nan = 0;
    std::uint64_t infinite = 0;
    std::uint64_t zeros = 0;
    double mean = 0;
    double deviation = 0; ///< population standard deviation: sqrt(mean((x - mean)²))
    double min = 0;
    double max = 0;
    double median = 0;             ///< one of the values (the lower median of an even number)
    std::vector<double> quantiles; ///< 101 of them: quantiles[p] has p % of the values below it
    bool quantilesAreExact =
        true; ///< up to 32768 values (fewer in wide tables); beyond that ranks are about 1 % off
    Histogram histogram;

    // Texts: lengths in bytes.
    double meanLength = 0;
    std::uint64_t maxLength = 0;

    /// The most frequent values, most frequent first, ties by value. Numbers as text.
    std::vector<ValueCount> top;
    bool topIsExact = true;
};

struct TableStatistics
{
    std::uint64_t rows = 0;
    std::uint64_t otherRows = 0; ///< of the other part of a split table
    std::vector<ColumnStatistics> columns;

    const ColumnStatistics* find(std::string_view column) const;
    /// The same, instant if it is the one at `place`.
    const ColumnStatistics* find(std::string_view column, std::size_t place) const;
};

struct StatisticsOptions
{
    std::size_t topValues = 10;
    std::size_t histogramBars = 30;
};

/// Collects the statistics of a table from its chunks, in order, in one pass. The result has the
/// same bits for any chunking and any number of threads. One thread.
class StatisticsCollector
{
public:
    explicit StatisticsCollector(StatisticsOptions options = {});
    ~StatisticsCollector();
    StatisticsCollector(StatisticsCollector&&) noexcept;
    StatisticsCollector& operator=(StatisticsCollector&&) noexcept;

    /// Every chunk must have the same columns; `threads` process one column each.
    Result<void> add(const storage::TableChunk& chunk, const LentThreads& threads = {});
    TableStatistics finish() const;

private:
    class Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace cannery::data
