// SPDX-License-Identifier: Apache-2.0
#include "core/trees/histogram_column.h"

#include "kernels/ops/gradient_histogram.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace cannery::trees {

namespace {

/// Values that are searched for side by side.
constexpr std::size_t kSearched = 32;
/// The search takes a power of two less one of thresholds.
constexpr std::size_t kPadded = kernels::kHistogramBins;

struct DistinctValue
{
    float value = 0.0F;
    std::int64_t count = 0;
};

std::vector<DistinctValue> distinctValues(std::vector<float> values)
{
    // A missing value has a bin of its own and moves no boundary.
    std::erase_if(values, [](float value) { return std::isnan(value); });
    std::sort(values.begin(), values.end());
    std::vector<DistinctValue> distinct;
    for (const float value : values) {
        if (distinct.empty() || value > distinct.back().value) {
            distinct.push_back({value, 0});
        }
        ++distinct.back().count;
    }
    return distinct;
}

/// A float t with a <= t < b; 0 where the sign changes.
float between(float a, float b)
{
    // A sign often has a meaning of its own, and 0 is what a person would write.
    if (a < 0.0F && b > 0.0F) {
        return 0.0F;
    }
    const auto middle = static_cast<float>((static_cast<double>(a) + static_cast<double>(b)) / 2);
    // The middle of neighbouring floats may round up to b, which would move b to the left side.
    return middle >= a && middle < b ? middle : a;
}

/// Closes a bin once it has its share of what is left, around values that exceed a share, and where
/// the sign changes, which often means something.
std::vector<float> cutEvenly(const std::vector<DistinctValue>& distinct, std::int64_t bins)
{
    std::int64_t left = 0;
    for (const DistinctValue& value : distinct) {
        left += value.count;
    }
    std::vector<float> thresholds;
    std::int64_t inBin = 0;
    std::int64_t binsLeft = bins;
    for (std::size_t i = 0; i + 1 < distinct.size() && binsLeft > 1; ++i) {
        // The remaining rows are divided anew after each bin, as a frequent value may have taken
        // several shares at once.
        const std::int64_t share = std::max<std::int64_t>(1, (left + binsLeft - 1) / binsLeft);
        inBin += distinct[i].count;
        const bool nextFillsABin = distinct[i + 1].count >= share && 2 * inBin >= share;
        const bool changesSign = distinct[i].value < 0.0F && distinct[i + 1].value >= 0.0F;
        if (inBin >= share || nextFillsABin || changesSign) {
            thresholds.push_back(between(distinct[i].value, distinct[i + 1].value));
            left -= inBin;
            inBin = 0;
            --binsLeft;
        }
    }
    return thresholds;
}

} // namespace

HistogramColumn numberColumn(std::vector<float> values, std::int64_t maxBins)
{
    const std::vector<DistinctValue> distinct = distinctValues(std::move(values));
    // One bin is for the rest: missing values.
    const std::int64_t bins = std::min<std::int64_t>(maxBins, kernels::kHistogramBins - 1);
    HistogramColumn column;
    if (static_cast<std::int64_t>(distinct.size()) > bins) {
        column.thresholds = cutEvenly(distinct, bins);
        return column;
    }
    for (std::size_t i = 1; i < distinct.size(); ++i) {
        column.thresholds.push_back(between(distinct[i - 1].value, distinct[i].value));
    }
    return column;
}

HistogramColumn categoryColumn(std::span<const std::int64_t> counts)
{
    std::vector<std::int32_t> order(counts.size());
    std::iota(order.begin(), order.end(), 0);
    // Categories that do not occur in training cannot be split by; they belong to the rest.
    std::erase_if(order, [&](std::int32_t id) { return counts[id] == 0; });
    const auto most = static_cast<std::size_t>(kernels::kHistogramBins - 1);
    if (order.size() > most) {
        // More categories than bins: the most frequent ones are kept, equal ones in the order of
        // ids.
        std::stable_sort(order.begin(), order.end(),
                         [&](std::int32_t a, std::int32_t b) { return counts[a] > counts[b]; });
        order.resize(most);
        // In the order of ids again, as splits list them.
        std::sort(order.begin(), order.end());
    }
    HistogramColumn column;
    column.kind = SplitKind::Categories;
    column.categories = std::move(order);
    // Every other category has the bin of the rest.
    column.binOfCategory.assign(counts.size(), static_cast<std::uint8_t>(column.categories.size()));
    for (std::size_t b = 0; b < column.categories.size(); ++b) {
        column.binOfCategory[column.categories[b]] = static_cast<std::uint8_t>(b);
    }
    return column;
}

void binNumbers(const HistogramColumn& column, const float* values, std::int64_t stride,
                std::span<std::uint8_t> bins)
{
    std::array<float, kPadded> thresholds;
    // Padded with infinity, which no value exceeds, so the search takes the same steps for every
    // column.
    thresholds.fill(std::numeric_limits<float>::infinity());
    std::copy(column.thresholds.begin(), column.thresholds.end(), thresholds.begin());
    const auto rest = static_cast<std::uint8_t>(column.restBin());
    std::array<float, kSearched> searched;
    std::array<std::int32_t, kSearched> found;
    for (std::size_t first = 0; first < bins.size(); first += kSearched) {
        const std::size_t count = std::min(kSearched, bins.size() - first);
        searched.fill(0.0F);
        for (std::size_t i = 0; i < count; ++i) {
            // NaN compares false all the way; it is replaced below.
            searched[i] = values[static_cast<std::int64_t>(first + i) * stride];
        }
        found.fill(0);
        // A binary search without branches, for several values in the same steps, which the
        // compiler turns into vector code.
        for (std::int32_t step = kPadded / 2; step > 0; step /= 2) {
            for (std::size_t i = 0; i < kSearched; ++i) {
                found[i] += thresholds[found[i] + step - 1] < searched[i] ? step : 0;
            }
        }
        for (std::size_t i = 0; i < count; ++i) {
            bins[first + i] = std::isnan(searched[i]) ? rest : static_cast<std::uint8_t>(found[i]);
        }
    }
}

void binCategories(const HistogramColumn& column, std::span<const std::int32_t> ids,
                   std::span<std::uint8_t> bins)
{
    const auto size = static_cast<std::int64_t>(column.binOfCategory.size());
    const auto rest = static_cast<std::uint8_t>(column.restBin());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        bins[i] = ids[i] >= 0 && ids[i] < size ? column.binOfCategory[ids[i]] : rest;
    }
}

} // namespace cannery::trees
