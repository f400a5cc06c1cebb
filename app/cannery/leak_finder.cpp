// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/leak_finder.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

namespace cannery::app {

namespace {

constexpr std::uint64_t kRowsLookedAt = 100'000;
/// A value must occur in this many rows for its majority to mean anything.
constexpr double kFewestRowsAValue = 4.0;
constexpr double kTellingShare = 0.99;
constexpr double kTellingCorrelation = 0.999;
/// If one class is more frequent than this, a majority means nothing.
constexpr double kLargestClass = 0.95;

using Counts = std::unordered_map<std::string, std::unordered_map<std::string, std::uint64_t>>;

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

/// The share of rows whose label is the majority label of their value; 0 if the values are too
/// rare.
double majorityShare(const Counts& counts)
{
    std::uint64_t rows = 0;
    std::uint64_t told = 0;
    std::unordered_map<std::string_view, std::uint64_t> classes;
    for (const auto& [value, labels] : counts) {
        std::uint64_t most = 0;
        for (const auto& [label, count] : labels) {
            rows += count;
            classes[label] += count;
            most = std::max(most, count);
        }
        told += most;
    }
    std::uint64_t largestClass = 0;
    for (const auto& [label, count] : classes) {
        largestClass = std::max(largestClass, count);
    }
    const auto total = static_cast<double>(rows);
    if (rows == 0 || total < kFewestRowsAValue * static_cast<double>(counts.size()) ||
        static_cast<double>(largestClass) > kLargestClass * total) {
        return 0.0;
    }
    return static_cast<double>(told) / total;
}

std::string cellText(const storage::TableColumn& column, std::size_t row)
{
    return std::visit(
        [row](const auto& values) {
            if constexpr (std::is_same_v<std::decay_t<decltype(values)>, StringColumn>) {
                return std::string(values[row]);
            } else {
                return fmt::format("{}", values[row]);
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

/// How well one column predicts the label.
struct Evidence
{
    Counts counts;
    Moments moments;

    void add(const storage::TableColumn& column, const storage::TableColumn& label,
             std::size_t rows, bool classification)
    {
        for (std::size_t row = 0; row < rows; ++row) {
            if (!column.isValid(row) || !label.isValid(row)) {
                continue;
            }
            if (classification) {
                ++counts[cellText(column, row)][cellText(label, row)];
            } else if (column.dtype != DType::String) {
                moments.add(cellNumber(column, row), cellNumber(label, row));
            }
        }
    }
};

} // namespace

Result<std::vector<Leak>> findLeaks(const data::DataSource& source, const std::string& label,
                                    bool classification, const std::vector<std::string>& columns)
{
    data::ChunkRequest request{.columns = {{.column = label}}, .maxRows = kRowsLookedAt};
    for (const std::string& column : columns) {
        request.columns.push_back({.column = column});
    }
    CANNERY_TRY_ASSIGN(const std::unique_ptr<data::ChunkStream> stream, source.read(request));
    std::vector<Evidence> evidence(columns.size());
    while (true) {
        CANNERY_TRY_ASSIGN(const std::optional<storage::TableChunk> chunk, stream->next());
        if (!chunk) {
            break;
        }
        for (std::size_t i = 0; i < columns.size(); ++i) {
            evidence[i].add(chunk->columns[i + 1], chunk->columns[0], chunk->rows, classification);
        }
    }
    std::vector<Leak> leaks;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const double share = classification ? majorityShare(evidence[i].counts)
                                            : std::abs(evidence[i].moments.correlation());
        if (share >= (classification ? kTellingShare : kTellingCorrelation)) {
            leaks.push_back({columns[i], share});
        }
    }
    return leaks;
}

} // namespace cannery::app
