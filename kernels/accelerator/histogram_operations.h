// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/gradient_histogram.h"

#include <cstdint>

/// Operations of boosted trees; see kernels/ops/gradient_histogram.h.
namespace cannery::kernels {

/// A table as bins on the device: groups of kHistogramGroup columns one after the other, in each
/// `width(group)` bytes a row. Only the last group may be narrower.
struct DeviceBins
{
    const std::uint8_t* bins = nullptr;
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    const HistogramRange* ranges = nullptr; ///< of each column, in sums over the whole table
    std::int64_t binCount = 0;              ///< of all columns

    constexpr std::int64_t groups() const
    {
        return (columns + kHistogramGroup - 1) / kHistogramGroup;
    }
    /// Columns of a group, without padding.
    constexpr std::int64_t columnsOf(std::int64_t group) const
    {
        const std::int64_t left = columns - group * kHistogramGroup;
        return left < kHistogramGroup ? left : kHistogramGroup;
    }
    constexpr std::int64_t width(std::int64_t group) const
    {
        return (columnsOf(group) + kHistogramWidthUnit - 1) / kHistogramWidthUnit *
               kHistogramWidthUnit;
    }
    /// Where the bins of a group begin.
    constexpr std::int64_t offset(std::int64_t group) const
    {
        return group * kHistogramGroup * rows;
    }
    constexpr std::int64_t bytes() const
    {
        return columns == 0 ? 0 : offset(groups() - 1) + rows * width(groups() - 1);
    }
};

/// Gradient, second derivative, rows.
inline constexpr std::int64_t kSumsOfBin = 3;

/// GradientHistogramKernels::add of all groups of a table, to sums of 0.
struct SumGradients
{
    DeviceBins table;
    const std::uint64_t* gradients = nullptr; ///< packed, of all rows of the table
    const std::uint32_t* rows = nullptr;      ///< room for all of them; all rows if null
    const std::int64_t* rowCount = nullptr;   ///< of `rows`
    std::int64_t* sums = nullptr;             ///< [kSumsOfBin, table.binCount]
};

} // namespace cannery::kernels
