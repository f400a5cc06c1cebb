// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/trees/histogram_split.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <span>
#include <vector>

namespace cannery::trees {

/// One number a row out of a matrix: values[row * stride].
struct StridedFloats
{
    const float* values = nullptr;
    std::int64_t stride = 1;

    float operator[](std::int64_t row) const { return values[row * stride]; }
};

/// The gradients and second derivatives of a tree's loss at the present predictions.
struct TreeGradients
{
    StridedFloats gradients;
    StridedFloats hessians;
};

/// Rounds them to integers, of which the largest gradient is 2^15 - 1 and the largest second
/// derivative 2^14 - 1: sums of these are exact, so their order is of no consequence. A negative
/// second derivative counts as 0. Returns the units; `packed` has one number a row.
GradientUnits packGradients(kernels::ThreadPool& pool, const TreeGradients& gradients,
                            std::span<std::uint64_t> packed);

} // namespace cannery::trees
