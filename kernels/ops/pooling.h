// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"
#include "kernels/ops/window_axis.h"

#include <string_view>
#include <vector>

namespace cannery::kernels {

enum class PoolingRule : std::uint8_t
{
    Max,
    Average,
};

/// Pooling of pictures, channels last, as tf.nn.max_pool2d and avg_pool2d compute it, for each
/// channel by itself:
///   Max: dst[y, x] = the largest value under the window; NaN if there is one.
///   Average: dst[y, x] = their sum / their number.
/// Only pixels of the picture count: padding never wins and enlarges no number. A window without
/// one gives 0. A pooling of sequences has the default height.
///
/// Gradients: the average's goes to all pixels of the window in equal parts, the maximum's wholly
/// to the pixel that has it, the first one in row-major order if several have; a NaN is one.
struct PoolingProblem
{
    PoolingRule rule = PoolingRule::Max;
    WindowAxis height;
    WindowAxis width;
    std::int64_t channels = 0;

    std::int64_t srcPixels() const { return height.size * width.size; }
    std::int64_t dstPixels() const { return height.positions() * width.positions(); }
    std::int64_t srcFloats() const { return srcPixels() * channels; }
    std::int64_t dstFloats() const { return dstPixels() * channels; }
};

/// A row of a matrix of pictures is one image: srcFloats() or dstFloats() values, pixel after
/// pixel; images may lie further apart (`stride`). Any number of images. Bits depend neither on the
/// number of threads nor on the other images.
struct PoolingKernels
{
    void (*forward)(const PoolingProblem&, ThreadPool&, ConstMatrixView src,
                    MatrixView dst) = nullptr;
    /// srcGrad from dstGrad. The maximum finds its pixels again in src and dst, as they were in
    /// forward(): a plan keeps both for the neighbouring layers anyway, so indices would be memory
    /// on top. The average does not read the two, which may be empty.
    void (*backward)(const PoolingProblem&, ThreadPool&, ConstMatrixView src, ConstMatrixView dst,
                     ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
};

using PoolingImplementation = Implementation<PoolingProblem, PoolingKernels>;
std::span<const PoolingImplementation> poolingImplementations();

namespace cpu {
extern const PoolingKernels kPooling;
}
namespace reference {
extern const PoolingKernels kPooling;
}

} // namespace cannery::kernels
