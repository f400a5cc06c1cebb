// SPDX-License-Identifier: Apache-2.0
#include "core/advice/leak_finder.h"

#include "core/base/fingerprint.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace cannery::advice {

namespace {

constexpr std::uint64_t kRowsLookedAt = 100'000;
/// So tables with very many columns have fewer rows looked at.
constexpr std::uint64_t kCellsLookedAt = 10'000'000;
/// A value must occur in this many rows for its majority to mean anything.
constexpr double kFewestRowsAValue = 4.0;
constexpr double kLeakingShare = 0.99;
constexpr double kLeakingCorrelation = 0.999;
/// If one class is more frequent than this, a majority means nothing.
constexpr double kLargestClass = 0.95;

/// Sums over a pair of numeric columns, for their correlation.
struct Moments
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    void add(double a, double b)
    {
        n += 1;
        x += a;
        y += b;
        xx += a * a;
        yy += b * b;
        xy += a * b;
    }
    double correlation() const
    {
        const double variance = (n * xx - x * x) * (n * yy - y * y);
        return variance > 0 ? (n * xy - x * y) / std::sqrt(variance) : 0.0;
    }
};

/// How often a value and a class occur together.
struct Pair
{
    std::uint64_t value = 0;
    std::uint64_t label = 0;
    std::uint64_t rows = 0;
};
using Pairs = std::unordered_map<std::uint64_t, Pair>;

/// The share of rows whose label is the majority label of their value; 0 if the values are too
/// rare.
double majorityShare(const Pairs& pairs)
{
    std::uint64_t rows = 0;
    std::unordered_map<std::uint64_t, std::uint64_t> most; // of a value
    std::unordered_map<std::uint64_t, std::uint64_t> classes;
    for (const auto& [print, pair] : pairs) {
        rows += pair.rows;
        classes[pair.label] += pair.rows;
        std::uint64_t& majority = most[pair.value];
        majority = std::max(majority, pair.rows);
    }
    std::uint64_t predicted = 0;
    for (const auto& [value, majority] : most) {
        predicted += majority;
    }
    std::uint64_t largestClass = 0;
    for (const auto& [label, count] : classes) {
        largestClass = std::max(largestClass, count);
    }
    const auto total = static_cast<double>(rows);
    // Values that hardly recur would each be their own majority.
    if (rows == 0 || total < kFewestRowsAValue * static_cast<double>(most.size()) ||
        static_cast<double>(largestClass) > kLargestClass * total) {
        return 0.0;
    }
    return static_cast<double>(predicted) / total;
}

/// Equal for equal cells.
std::uint64_t cellPrint(const storage::TableColumn& column, std::size_t row)
{
    return std::visit(
        [row](const auto& values) -> std::uint64_t {
            using Values = std::decay_t<decltype(values)>;
            if constexpr (std::is_same_v<Values, StringColumn>) {
                return fingerprint64(values[row]);
            } else if constexpr (std::is_same_v<Values, std::vector<std::int64_t>>) {
                return static_cast<std::uint64_t>(values[row]);
            } else {
                const auto value = static_cast<double>(values[row]);
                // Any NaN is the same cell.
                return std::isnan(value) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(value);
            }
        },
        column.values);
}

double cellNumber(const storage::TableColumn& column, std::size_t row)
{
    return std::visit(
        [row](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                return 0.0;
            } else {
                return static_cast<double>(values[row]);
            }
        },
        column.values);
}

} // namespace

/// How well one column predicts the label.
struct LeakFinder::Evidence
{
    Pairs pairs;
    Moments moments;
    bool isHopeless = false; ///< too many values for a majority to mean anything

    void add(const storage::TableColumn& column, const storage::TableColumn& label,
             std::size_t rows, bool classification, std::size_t mostPairs)
    {
        for (std::size_t row = 0; row < rows && !isHopeless; ++row) {
            // A missing value says nothing, and a missing label cannot be compared.
            if (!column.isValid(row) || !label.isValid(row)) {
                continue;
            }
            if (classification) {
                const std::uint64_t value = cellPrint(column, row);
                const std::uint64_t of = cellPrint(label, row);
                Pair& pair = pairs[fingerprintCat64(value, of)];
                pair = {value, of, pair.rows + 1};
                isHopeless = pairs.size() > mostPairs;
            } else if (column.dtype != DType::String) {
                // A text has no correlation with a number.
                moments.add(cellNumber(column, row), cellNumber(label, row));
            }
        }
        // The memory is of no more use.
        if (isHopeless) {
            pairs = {};
        }
    }
};

LeakFinder::LeakFinder(std::string label, bool classification, std::vector<std::string> columns)
    : m_label(std::move(label)), m_classification(classification), m_columns(std::move(columns)),
      m_mostRows(
          std::min(kRowsLookedAt, kCellsLookedAt / std::max<std::uint64_t>(1, m_columns.size()))),
      m_evidence(m_columns.size())
{}

LeakFinder::~LeakFinder() = default;
LeakFinder::LeakFinder(LeakFinder&&) noexcept = default;
LeakFinder& LeakFinder::operator=(LeakFinder&&) noexcept = default;

bool LeakFinder::isFull() const
{
    return m_rows >= m_mostRows;
}

void LeakFinder::add(const storage::TableChunk& chunk)
{
    const storage::TableColumn* label = chunk.find(m_label);
    if (label == nullptr || isFull()) {
        return;
    }
    // The limit is of rows, not of chunks.
    const std::size_t rows = std::min<std::size_t>(chunk.rows, m_mostRows - m_rows);
    m_rows += rows;
    // More values than can occur often enough, and more exceptions than a leak may have.
    const auto mostPairs = static_cast<std::size_t>(static_cast<double>(m_mostRows) *
                                                    (1 / kFewestRowsAValue + 1 - kLeakingShare));
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        if (const storage::TableColumn* column = chunk.find(m_columns[i])) {
            m_evidence[i].add(*column, *label, rows, m_classification, mostPairs);
        }
    }
}

std::vector<Leak> LeakFinder::leaks() const
{
    std::vector<Leak> leaks;
    for (std::size_t i = 0; i < m_columns.size(); ++i) {
        // Either direction of a correlation gives the label away.
        const double share = m_classification ? majorityShare(m_evidence[i].pairs)
                                              : std::abs(m_evidence[i].moments.correlation());
        if (share >= (m_classification ? kLeakingShare : kLeakingCorrelation)) {
            leaks.push_back({m_columns[i], share, !m_classification});
        }
    }
    return leaks;
}

Result<std::vector<Leak>> findLeaks(const data::DataSource& source, const std::string& label,
                                    bool classification, const std::vector<std::string>& columns)
{
    data::ChunkRequest request{.columns = {{.column = label}}, .maxRows = kRowsLookedAt};
    for (const std::string& column : columns) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    LeakFinder finder(label, classification, columns);
    while (!finder.isFull()) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        finder.add(*chunk);
    }
    return finder.leaks();
}

} // namespace cannery::advice
