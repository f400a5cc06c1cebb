// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/ensemble.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// How the values of a column become bins, one byte each. The last bin holds what has no place of
/// its own: missing numbers (NaN), or missing and rare categories.
struct HistogramColumn
{
    SplitKind kind = SplitKind::Number; ///< Number, Bucket or Categories
    std::int32_t feature = 0;           ///< of the trees
    std::int32_t dimension = 0;
    /// Of a number, ascending: bin b holds thresholds[b - 1] < x <= thresholds[b].
    std::vector<float> thresholds;
    /// Of a categorical column: the category of each bin but the last.
    std::vector<std::int32_t> categories;
    /// The bin of each category; empty for numbers.
    std::vector<std::uint8_t> binOfCategory;

    bool isCategorical() const { return kind == SplitKind::Categories; }
    /// At most 256, with the last one.
    std::int64_t bins() const
    {
        return static_cast<std::int64_t>(isCategorical() ? categories.size() + 1
                                                         : thresholds.size() + 2);
    }
    std::int64_t restBin() const { return bins() - 1; }
};

/// Cuts numbers into at most `maxBins` bins (2 to 256, of which one byte leaves 255) of about
/// equally many of these values: every value its own bin if there are few; otherwise values that
/// fill a bin alone have it alone, and no bin has both signs. A threshold lies midway between two
/// values, or is 0 between a negative and a positive one. NaN is ignored.
HistogramColumn numberColumn(std::vector<float> values, std::int64_t maxBins);

/// The most frequent categories of the column, at most 255, in the order of their ids. `counts`
/// has the rows of each category; those without rows have no bin.
HistogramColumn categoryColumn(std::span<const std::int64_t> counts);

/// The bins of numbers: bins[i] of values[i * stride].
void binNumbers(const HistogramColumn& column, const float* values, std::int64_t stride,
                std::span<std::uint8_t> bins);
/// The bins of categories; ids outside of the column are missing.
void binCategories(const HistogramColumn& column, std::span<const std::int32_t> ids,
                   std::span<std::uint8_t> bins);

} // namespace cannery::trees
