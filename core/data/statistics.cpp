#include "core/data/statistics.h"

#include "core/base/check.h"
#include "core/data/quantile_sketch.h"
#include "core/data/value_counter.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace cannery::data {

using storage::TableChunk;
using storage::TableColumn;

namespace {

/// Count, mean and sum of squared differences; merged by Chan, Golub and LeVeque's formula (1979).
struct Moments
{
    double count = 0;
    double mean = 0;
    double squares = 0;

    void add(const Moments& other)
    {
        if (other.count == 0) {
            return;
        }
        const double all = count + other.count;
        const double difference = other.mean - mean;
        mean += difference * other.count / all;
        squares += other.squares + difference * difference * count * other.count / all;
        count = all;
    }
};

Moments momentsOf(const std::vector<double>& values)
{
    Moments moments;
    moments.count = static_cast<double>(values.size());
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    moments.mean = values.empty() ? 0 : sum / moments.count;
    for (const double value : values) {
        const double difference = value - moments.mean;
        moments.squares += difference * difference;
    }
    return moments;
}

/// What one column has shown so far.
class ColumnCollector
{
public:
    ColumnCollector(const TableColumn& column, std::size_t columns)
        : m_sketch(std::clamp<std::size_t>((4U << 20U) / columns, 4096, 65536)),
          m_counter(std::clamp<std::size_t>((1U << 20U) / columns, 1024, 32768))
    {
        m_known.name = column.name;
        m_known.dtype = column.dtype;
    }

    void add(const TableColumn& column, std::size_t rows)
    {
        const std::size_t missing = column.missingCount();
        m_known.missing += missing;
        m_known.count += rows - missing;
        m_finite.clear();
        std::visit(
            [&](const auto& list) {
                for (std::size_t row = 0; row < rows; ++row) {
                    if (column.isValid(row)) {
                        addValue(list[row]);
                    }
                }
            },
            column.values);
        m_moments.add(momentsOf(m_finite));
    }

    ColumnStatistics finish(const StatisticsOptions& options) const
    {
        ColumnStatistics known = m_known;
        known.distinct = m_counter.distinct();
        known.distinctIsExact = m_counter.isExact();
        known.topIsExact = m_counter.isExact();
        known.top = top(options.topValues);
        if (m_moments.count > 0) {
            known.mean = m_moments.mean;
            known.deviation = std::sqrt(m_moments.squares / m_moments.count);
            known.quantiles = m_sketch.quantiles(100);
            known.quantiles.front() = known.min;
            known.quantiles.back() = known.max;
            known.quantilesAreExact = m_sketch.isExact();
            known.histogram = histogram(options.histogramBars);
        }
        if (known.dtype == DType::String && known.count > 0) {
            known.meanLength = static_cast<double>(m_length) / static_cast<double>(known.count);
        }
        return known;
    }

private:
    void addValue(std::string_view text)
    {
        m_counter.addText(text);
        m_length += text.size();
        m_known.maxLength = std::max<std::uint64_t>(m_known.maxLength, text.size());
    }

    void addValue(std::int64_t value)
    {
        m_counter.addBits(static_cast<std::uint64_t>(value));
        addNumber(static_cast<double>(value));
    }

    void addValue(float value) { addValue(static_cast<double>(value)); }

    void addValue(double value)
    {
        if (std::isnan(value)) {
            ++m_known.nan;
        } else if (std::isinf(value)) {
            ++m_known.infinite;
        } else {
            m_counter.addBits(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
            addNumber(value);
        }
    }

    void addNumber(double value)
    {
        const bool isFirst = m_moments.count == 0 && m_finite.empty();
        m_known.min = isFirst ? value : std::min(m_known.min, value);
        m_known.max = isFirst ? value : std::max(m_known.max, value);
        m_known.zeros += value == 0 ? 1 : 0;
        m_sketch.add(value);
        m_finite.push_back(value);
    }

    std::string textOf(const ValueCounter::Count& row) const
    {
        switch (m_known.dtype) {
        case DType::String:
            return row.text;
        case DType::Float32:
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
        Histogram histogram{.begin = m_known.min, .end = m_known.max, .counts = {}};
        histogram.counts.resize(m_known.min == m_known.max ? 1 : std::max<std::size_t>(1, bars));
        const double width =
            (histogram.end - histogram.begin) / static_cast<double>(histogram.counts.size());
        for (const double value : m_sketch.samples()) {
            const double place = width > 0 ? (value - histogram.begin) / width : 0;
            const auto bar = std::min(static_cast<std::size_t>(std::max(0.0, place)),
                                      histogram.counts.size() - 1);
            histogram.counts[bar] += m_sketch.weight();
        }
        return histogram;
    }

    ColumnStatistics m_known;
    Moments m_moments;
    QuantileSketch m_sketch;
    ValueCounter m_counter;
    std::uint64_t m_length = 0;
    std::vector<double> m_finite; ///< of the chunk at hand
};

} // namespace

const ColumnStatistics* TableStatistics::find(std::string_view column) const
{
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const auto& known) { return known.name == column; });
    return found == columns.end() ? nullptr : &*found;
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

void StatisticsCollector::add(const TableChunk& chunk)
{
    if (m_impl->rows == 0) {
        m_impl->columns.clear();
        for (const TableColumn& column : chunk.columns) {
            m_impl->columns.emplace_back(column, chunk.columns.size());
        }
    }
    CANNERY_CHECK(m_impl->columns.size() == chunk.columns.size());
    m_impl->rows += chunk.rows;
    for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
        m_impl->columns[i].add(chunk.columns[i], chunk.rows);
    }
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
