// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/operations.h"
#include "kernels/math/host_device.h"

#include <cstdint>

/// What the bodies of kernels share. A body is the work of one operation, compiled for the GPU and
/// for the emulated device of the tests; a launcher runs it (see dispatch.h). There are two kinds:
///   struct Elementwise { void operator()(std::int64_t index) const; };
/// for every index in any order, and
///   struct Blockwise
///   {
///       static constexpr int kThreads = 256;
///       struct Shared {…};   // not initialized
///       int phases() const;
///       void operator()(int phase, int thread, std::int64_t block, Shared& shared) const;
///   };
/// whose threads all end a phase before one of them begins the next. Bodies are plain structs of
/// addresses and numbers. They compile with nvcc -std=c++20 --expt-relaxed-constexpr
/// -DFMT_USE_CONSTEXPR=1 (which fmt does not find out about nvcc).
namespace cannery::kernels::bodies {

struct Place
{
    std::int64_t row = 0;
    std::int64_t col = 0;
};

/// Of the element with this index, row after row. Division of 32 bits is much faster on a GPU.
CANNERY_HOST_DEVICE inline Place placeOf(std::int64_t index, std::int64_t cols)
{
    if (((index | cols) >> 32) == 0) {
        const auto shortIndex = static_cast<std::uint32_t>(index);
        const auto shortCols = static_cast<std::uint32_t>(cols);
        return {shortIndex / shortCols, shortIndex % shortCols};
    }
    return {index / cols, index % cols};
}

CANNERY_HOST_DEVICE inline float& element(const MatrixView& view, Place place)
{
    return view.data[place.row * view.stride + place.col];
}

CANNERY_HOST_DEVICE inline const float& element(const ConstMatrixView& view, Place place)
{
    return view.data[place.row * view.stride + place.col];
}

/// Where this step's number stands.
template <typename T>
CANNERY_HOST_DEVICE const T* stepValue(const StepData& step)
{
    return reinterpret_cast<const T*>(step.blocks + *step.cursor * step.blockBytes + step.offset);
}

/// Of a mean over as many as the step has; see LossOf::meanOf.
CANNERY_HOST_DEVICE inline double divisorOf(const StepData& meanOf)
{
    const std::int64_t count = meanOf.cursor == nullptr ? 1 : *stepValue<std::int64_t>(meanOf);
    return count == 0 ? 1.0 : static_cast<double>(count);
}

constexpr std::int64_t blocksOf(std::int64_t count, std::int64_t perBlock)
{
    return (count + perBlock - 1) / perBlock;
}

/// A device has memory for as many numbers, see Launcher::partialSums().
inline constexpr std::int64_t kMostPartialSums = 1 << 16;

struct Part
{
    std::int64_t begin = 0;
    std::int64_t end = 0;
};

/// What one of `parts` threads has of successive elements.
CANNERY_HOST_DEVICE inline Part partOf(std::int64_t count, std::int64_t index, std::int64_t parts)
{
    const std::int64_t share = (count + parts - 1) / parts;
    const std::int64_t begin = index * share < count ? index * share : count;
    return {begin, begin + share < count ? begin + share : count};
}

/// How often `threads` can be halved.
CANNERY_HOST_DEVICE constexpr int halvings(int threads)
{
    int count = 0;
    for (; threads > 1; threads /= 2) {
        ++count;
    }
    return count;
}

} // namespace cannery::kernels::bodies
