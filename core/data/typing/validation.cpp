// SPDX-License-Identifier: Apache-2.0
#include "core/data/typing/validation.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace cannery::data {

namespace {

using storage::MetadataFeature;
using storage::MetadataType;

constexpr std::size_t kNamedValues = 5;

std::string_view typeName(MetadataType type)
{
    return type == MetadataType::Bytes ? "BYTES" : type == MetadataType::Integer ? "INT" : "FLOAT";
}

MetadataType typeOf(DType dtype)
{
    return dtype == DType::String ? MetadataType::Bytes
           : isInteger(dtype)     ? MetadataType::Integer
                                  : MetadataType::Float;
}

/// The values of a cell: one, unless the column holds lists.
std::vector<std::string_view> valuesOf(const ColumnSchema& column, std::string_view cell)
{
    std::vector<std::string_view> values;
    std::size_t end = column.listOf ? cell.find(kListSeparator) : std::string_view::npos;
    while (end != std::string_view::npos) {
        values.push_back(cell.substr(0, end));
        cell.remove_prefix(end + 1);
        end = cell.find(kListSeparator);
    }
    values.push_back(cell);
    return values;
}

/// The checks of one feature against one column.
class FeatureCheck
{
public:
    FeatureCheck(const MetadataFeature& feature, const ColumnSchema& column,
                 const ColumnStatistics& statistics, std::uint64_t rows,
                 std::vector<Anomaly>& anomalies)
        : m_feature(feature), m_column(column), m_statistics(statistics), m_rows(rows),
          m_anomalies(anomalies)
    {}

    void run(bool isExpected)
    {
        // A feature that the environment lacks may be missing.
        if (isExpected) {
            checkPresence();
        }
        const MetadataType found = typeOf(m_column.listOf.value_or(m_column.dtype));
        // With another type, domain and range mean nothing. Without a value there is no type to
        // compare.
        if (m_feature.type != MetadataType::Unknown && found != m_feature.type &&
            m_statistics.count > 0) {
            add("UNEXPECTED_DATA_TYPE", fmt::format("is {} in the schema, but {} in the data",
                                                    typeName(m_feature.type), typeName(found)));
            return;
        }
        if (m_column.listOf && m_feature.saysCount() && !m_feature.isList()) {
            add("FEATURE_TYPE_HIGH_NUMBER_VALUES", "has several values, but one in the schema");
        }
        checkDomain();
        checkRange();
    }

private:
    void add(std::string_view kind, const std::string& what)
    {
        m_anomalies.push_back(
            {m_feature.name, kind, fmt::format("feature {} {}", m_feature.name, what)});
    }

    void checkPresence()
    {
        const double fraction =
            m_rows == 0 ? 0 : static_cast<double>(m_statistics.count) / static_cast<double>(m_rows);
        if (fraction < m_feature.minFraction) {
            add("FEATURE_TYPE_LOW_FRACTION_PRESENT",
                fmt::format("is present in {} of {} examples ({:.4g}), the schema wants at least "
                            "{:.4g}",
                            m_statistics.count, m_rows, fraction, m_feature.minFraction));
        }
        if (static_cast<std::int64_t>(m_statistics.count) < m_feature.minCount) {
            add("FEATURE_TYPE_LOW_NUMBER_PRESENT",
                fmt::format("is present in {} examples, the schema wants at least {}",
                            m_statistics.count, m_feature.minCount));
        }
    }

    void checkDomain()
    {
        // Without a domain all values are allowed.
        if (!m_feature.hasDomain) {
            return;
        }
        const std::set<std::string_view> allowed(m_feature.domain.begin(), m_feature.domain.end());
        std::map<std::string, std::uint64_t, std::less<>> others;
        // The most frequent values: rare ones outside of the domain may go unnoticed.
        for (const ValueCount& value : m_statistics.top) {
            for (const std::string_view one : valuesOf(m_column, value.value)) {
                if (!allowed.contains(one)) {
                    others[std::string(one)] += value.count;
                }
            }
        }
        if (others.empty()) {
            return;
        }
        std::string named;
        std::size_t count = 0;
        for (const auto& [value, cells] : others) {
            // Some values are enough to find the rest.
            if (count++ < kNamedValues) {
                named += fmt::format("{}\"{}\" ({})", named.empty() ? "" : ", ", value, cells);
            }
        }
        add("ENUM_TYPE_UNEXPECTED_STRING_VALUES",
            fmt::format("has {} outside its domain: {}{}",
                        others.size() == 1 ? "1 value" : fmt::format("{} values", others.size()),
                        named, count > kNamedValues ? ", …" : ""));
    }

    void checkRange()
    {
        const bool isWhole = isInteger(m_column.dtype);
        // Min and max are of finite numbers only.
        const bool hasNumbers = m_column.dtype != DType::String &&
                                m_statistics.count > m_statistics.nan + m_statistics.infinite;
        if (hasNumbers && m_feature.min && m_statistics.min < *m_feature.min) {
            add(isWhole ? "INT_TYPE_SMALL_INT" : "FLOAT_TYPE_SMALL_FLOAT",
                fmt::format("has the value {}, the schema wants at least {}", m_statistics.min,
                            *m_feature.min));
        }
        if (hasNumbers && m_feature.max && m_statistics.max > *m_feature.max) {
            add(isWhole ? "INT_TYPE_BIG_INT" : "FLOAT_TYPE_BIG_FLOAT",
                fmt::format("has the value {}, the schema wants at most {}", m_statistics.max,
                            *m_feature.max));
        }
        // Those among the missing cells are only counted where the column's type was found.
        const std::uint64_t nan = std::max(m_statistics.nan, m_column.nan);
        if (m_feature.disallowNan && nan > 0) {
            add("FLOAT_TYPE_HAS_NAN", fmt::format("is NaN in {} examples", nan));
        }
        if (m_feature.disallowInfinity && m_statistics.infinite > 0) {
            add("FLOAT_TYPE_HAS_INF",
                fmt::format("is infinite in {} examples", m_statistics.infinite));
        }
    }

    const MetadataFeature& m_feature;
    const ColumnSchema& m_column;
    const ColumnStatistics& m_statistics;
    std::uint64_t m_rows;
    std::vector<Anomaly>& m_anomalies;
};

/// The share of a histogram between two places, its bars taken as even.
double shareBetween(const Histogram& histogram, double total, double begin, double end)
{
    const auto bars = static_cast<double>(histogram.counts.size());
    const double width = (histogram.end - histogram.begin) / bars;
    if (!(width > 0)) { // all values are the same
        return histogram.begin >= begin && histogram.begin < end ? 1 : 0;
    }
    double share = 0;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
        const double left = histogram.begin + width * static_cast<double>(i);
        const double overlap = std::min(end, left + width) - std::max(begin, left);
        // In proportion, as a bar's values are taken as evenly spread.
        share += overlap > 0 ? histogram.counts[i] * overlap / width : 0;
    }
    return share / total;
}

double totalOf(const Histogram& histogram)
{
    double total = 0;
    for (const double count : histogram.counts) {
        total += count;
    }
    return total;
}

void addEdges(const Histogram& histogram, std::vector<double>& edges)
{
    const auto bars = static_cast<double>(histogram.counts.size());
    for (std::size_t i = 0; i <= histogram.counts.size(); ++i) {
        edges.push_back(histogram.begin +
                        (histogram.end - histogram.begin) * static_cast<double>(i) / bars);
    }
    // The last value belongs to the last bar.
    edges.push_back(std::nextafter(histogram.end, INFINITY));
}

/// What a value with these shares adds to the Jensen-Shannon divergence.
double divergenceOf(double p, double q)
{
    const double mean = (p + q) / 2;
    const auto part = [&](double share) {
        // Of nothing, p log p is 0.
        return share > 0 ? share * std::log2(share / mean) / 2 : 0;
    };
    return part(p) + part(q);
}

/// Whether every value of a column was counted.
bool isCounted(const ColumnStatistics& column)
{
    // Shares can only be compared if no value is missing from the list.
    return column.count > 0 && column.top.size() >= column.distinct;
}

/// The share of each value in two columns.
std::map<std::string_view, std::pair<double, double>> sharesOf(const ColumnStatistics& a,
                                                               const ColumnStatistics& b)
{
    std::map<std::string_view, std::pair<double, double>> shares;
    for (const ValueCount& value : a.top) {
        shares[value.value].first = static_cast<double>(value.count) / static_cast<double>(a.count);
    }
    for (const ValueCount& value : b.top) {
        shares[value.value].second =
            static_cast<double>(value.count) / static_cast<double>(b.count);
    }
    return shares;
}

/// Statistics of the values in a column of lists, instead of its cells.
ColumnStatistics ofValues(const ColumnSchema& column, const ColumnStatistics& cells)
{
    if (!column.listOf || !isCounted(cells)) {
        // Values can only be counted if all cells were.
        return cells;
    }
    std::map<std::string, std::uint64_t, std::less<>> counts;
    ColumnStatistics values = cells;
    values.count = 0;
    for (const ValueCount& cell : cells.top) {
        for (const std::string_view value : valuesOf(column, cell.value)) {
            counts[std::string(value)] += cell.count;
            values.count += cell.count;
        }
    }
    values.distinct = counts.size();
    values.top.clear();
    for (const auto& [value, count] : counts) {
        values.top.push_back({value, count});
    }
    return values;
}

} // namespace

std::vector<Anomaly> findAnomalies(const TableSchema& table, const TableStatistics& statistics,
                                   const storage::MetadataSchema& schema,
                                   std::string_view environment)
{
    std::vector<Anomaly> anomalies;
    for (const MetadataFeature& feature : schema.features) {
        const bool isExpected = schema.expects(feature, environment);
        const ColumnSchema* column = table.find(feature.name);
        const ColumnStatistics* found = statistics.find(feature.name);
        // TensorFlow leaves such features out as well.
        if (feature.isDeprecated) {
            continue;
        }
        if (column == nullptr || found == nullptr) {
            // A feature that need not be present may be missing as a column, too.
            if (isExpected && (feature.minFraction > 0 || feature.minCount > 0)) {
                anomalies.push_back({feature.name, "SCHEMA_MISSING_COLUMN",
                                     fmt::format("feature {} is missing", feature.name)});
            }
            continue;
        }
        FeatureCheck(feature, *column, *found, statistics.rows, anomalies).run(isExpected);
    }
    for (const ColumnSchema& column : table.columns) {
        if (schema.find(column.name) == nullptr) {
            anomalies.push_back({column.name, "SCHEMA_NEW_COLUMN",
                                 fmt::format("feature {} is not in the schema", column.name)});
        }
    }
    return anomalies;
}

std::optional<double> infinityNorm(const ColumnStatistics& a, const ColumnStatistics& b)
{
    if (!isCounted(a) || !isCounted(b)) {
        return std::nullopt;
    }
    double largest = 0;
    for (const auto& [value, shares] : sharesOf(a, b)) {
        largest = std::max(largest, std::fabs(shares.first - shares.second));
    }
    return largest;
}

std::optional<double> jensenShannon(const ColumnStatistics& a, const ColumnStatistics& b)
{
    if (a.dtype == DType::String) {
        if (!isCounted(a) || !isCounted(b)) {
            return std::nullopt;
        }
        double divergence = 0;
        for (const auto& [value, shares] : sharesOf(a, b)) {
            divergence += divergenceOf(shares.first, shares.second);
        }
        // Base 2, so the divergence lies between 0 and 1; rounding may lead beyond.
        return std::clamp(divergence, 0.0, 1.0);
    }
    const double totalA = totalOf(a.histogram);
    const double totalB = totalOf(b.histogram);
    if (!(totalA > 0) || !(totalB > 0)) {
        return std::nullopt;
    }
    // Cut at the edges of both histograms, so that both are even within each piece.
    std::vector<double> edges;
    addEdges(a.histogram, edges);
    addEdges(b.histogram, edges);
    std::sort(edges.begin(), edges.end());
    double divergence = 0;
    for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
        if (edges[i] == edges[i + 1]) {
            continue;
        }
        const double p = shareBetween(a.histogram, totalA, edges[i], edges[i + 1]);
        const double q = shareBetween(b.histogram, totalB, edges[i], edges[i + 1]);
        divergence += divergenceOf(p, q);
    }
    return std::clamp(divergence, 0.0, 1.0);
}

std::vector<Distance> distancesOf(const TableSchema& schema, const TableStatistics& a,
                                  const TableStatistics& b)
{
    std::vector<Distance> distances;
    for (const ColumnStatistics& each : a.columns) {
        const ColumnSchema* column = schema.find(each.name);
        const ColumnStatistics* other = b.find(each.name);
        // Columns of different types have no common values.
        if (column == nullptr || other == nullptr || other->dtype != each.dtype) {
            continue;
        }
        const ColumnStatistics first = ofValues(*column, each);
        const ColumnStatistics second = ofValues(*column, *other);
        Distance distance{.feature = each.name, .jensenShannon = jensenShannon(first, second)};
        // Hardly any two floats are equal, so the shares of single values are useless.
        if (!isFloating(each.dtype)) {
            distance.infinityNorm = infinityNorm(first, second);
        }
        distances.push_back(std::move(distance));
    }
    return distances;
}

std::vector<Anomaly> findSkew(const std::vector<Distance>& distances,
                              const storage::MetadataSchema& schema)
{
    std::vector<Anomaly> anomalies;
    for (const Distance& distance : distances) {
        const MetadataFeature* feature = schema.find(distance.feature);
        // A column that the schema lacks is an anomaly of its own.
        if (feature == nullptr) {
            continue;
        }
        const auto check = [&](std::string_view kind, std::string_view what,
                               std::string_view comparator, const std::optional<double>& value,
                               const std::optional<double>& most) {
            if (value && most && *value > *most) {
                anomalies.push_back(
                    {distance.feature, kind,
                     fmt::format("feature {}: the {} between training and "
                                 "evaluation is {:.4g}, {} allows at most {:.4g}",
                                 distance.feature, what, *value, comparator, *most)});
            }
        };
        constexpr std::string_view kInfinity = "COMPARATOR_L_INFTY_HIGH";
        constexpr std::string_view kJensen = "COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH";
        check(kInfinity, "L-infinity distance", "skew_comparator", distance.infinityNorm,
              feature->skewInfinityNorm);
        check(kInfinity, "L-infinity distance", "drift_comparator", distance.infinityNorm,
              feature->driftInfinityNorm);
        check(kJensen, "Jensen-Shannon divergence", "skew_comparator", distance.jensenShannon,
              feature->skewJensenShannon);
        check(kJensen, "Jensen-Shannon divergence", "drift_comparator", distance.jensenShannon,
              feature->driftJensenShannon);
    }
    return anomalies;
}

} // namespace cannery::data
