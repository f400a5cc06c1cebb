// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

/// A row of several dimensions as [outer, depth, inner], row-major: `depth` is the one that is
/// summed over. Its vectors of `depth` numbers are numbered row-major by (outer, inner).
struct AxisFactor
{
    std::int64_t outer = 1;
    std::int64_t depth = 1;
    std::int64_t inner = 1;

    std::int64_t width() const { return outer * depth * inner; }
    std::int64_t vectors() const { return outer * inner; }
    /// The first number of a vector; the others follow `inner` apart.
    std::int64_t at(std::int64_t vector) const
    {
        return vector / inner * depth * inner + vector % inner;
    }
};

/// Both have the same depth.
struct AxisProductProblem
{
    AxisFactor left;
    AxisFactor right;
};

/// Inner products of two rows along one dimension of each (tf.keras.layers.Dot), row by row:
/// dst[i, j] = sum over k of left(i, k) right(j, k) for the vectors i of the left and j of the
/// right row; dst is [left.vectors(), right.vectors()]. Sums are in double and in a fixed order.
struct AxisProductKernels
{
    void (*product)(ThreadPool&, const AxisProductProblem&, ConstMatrixView left,
                    ConstMatrixView right, MatrixView dst) = nullptr;
    void (*leftGradient)(ThreadPool&, const AxisProductProblem&, ConstMatrixView right,
                         ConstMatrixView dstGrad, MatrixView leftGrad) = nullptr;
    void (*rightGradient)(ThreadPool&, const AxisProductProblem&, ConstMatrixView left,
                          ConstMatrixView dstGrad, MatrixView rightGrad) = nullptr;
};

using AxisProductImplementation = Implementation<AxisProductProblem, AxisProductKernels>;
std::span<const AxisProductImplementation> axisProductImplementations();
const AxisProductKernels& axisProductKernels(const AxisProductProblem& problem);

namespace cpu {
extern const AxisProductKernels kAxisProduct;
}
namespace reference {
extern const AxisProductKernels kAxisProduct;
}

} // namespace cannery::kernels
