// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/ops/implementation_list.h"

#include <cstdint>
#include <span>

namespace cannery::kernels {

/// Bins of a column at most: a bin is one byte.
inline constexpr std::int64_t kHistogramBins = 256;
/// Columns whose bins are stored side by side: their sums of a block fit into a first-level cache.
inline constexpr std::int64_t kHistogramGroup = 16;
/// A row of a group has a multiple of so many bins.
inline constexpr std::int64_t kHistogramWidthUnit = 4;
/// Rows whose packed gradients can be summed without an overflow.
inline constexpr std::int64_t kHistogramBlockRows = 2048;

/// The range of a row's gradient and second derivative as integers.
inline constexpr std::int32_t kGradientLimit = (1 << 15) - 1; ///< -limit to limit
inline constexpr std::int32_t kHessianLimit = (1 << 14) - 1;  ///< 0 to limit

/// A row's gradient, second derivative and count in one number, so that one addition sums all
/// three: bits 0 to 11 the count, 12 to 36 the second derivative, 37 to 63 the gradient plus 2^15.
constexpr std::uint64_t packGradient(std::int32_t gradient, std::int32_t hessian)
{
    return (static_cast<std::uint64_t>(gradient + (1 << 15)) << 37U) |
           (static_cast<std::uint64_t>(hessian) << 12U) | 1U;
}

constexpr std::int64_t packedGradient(std::uint64_t packed)
{
    return static_cast<std::int64_t>(packed >> 37U) - (1 << 15);
}
constexpr std::int64_t packedHessian(std::uint64_t packed)
{
    return static_cast<std::int64_t>((packed >> 12U) & 0x1FFFFFFU);
}

/// The bins of the group's columns, `width` bytes a row: 4, 8, 12 or 16.
struct BinnedGroup
{
    const std::uint8_t* bins = nullptr;
    std::int64_t width = 0;
};

/// A column of a group within the sums: its first bin, and its number of bins.
struct HistogramRange
{
    std::int64_t first = 0;
    std::int64_t bins = 0;
};

/// Sums by bin; three arrays of the same size.
struct HistogramSums
{
    std::int64_t* gradients = nullptr;
    std::int64_t* hessians = nullptr;
    std::int64_t* rows = nullptr;
};

struct GradientHistogramProblem
{
    std::int64_t width = 0;
};

/// Adds the gradients of some rows to the sums of the bins in which each column of a group has
/// them. `gradients` holds the packed numbers of all rows of the table, by row number. `columns`
/// has at most `width` entries; further columns of the group are padding, of any bin. `scratch`
/// holds kHistogramGroup * kHistogramBins numbers. Sums of integers: the order of rows is of no
/// consequence. Several threads may add to different sums.
struct GradientHistogramKernels
{
    void (*add)(BinnedGroup group, std::span<const std::uint32_t> rows,
                std::span<const std::uint64_t> gradients, std::span<const HistogramRange> columns,
                HistogramSums sums, std::span<std::uint64_t> scratch) = nullptr;
};

using GradientHistogramImplementation =
    Implementation<GradientHistogramProblem, GradientHistogramKernels>;
std::span<const GradientHistogramImplementation> gradientHistogramImplementations();
const GradientHistogramKernels& gradientHistogramKernels(const GradientHistogramProblem& problem);

namespace cpu {
extern const GradientHistogramKernels kGradientHistogram;
}
namespace reference {
extern const GradientHistogramKernels kGradientHistogram;
}

} // namespace cannery::kernels
