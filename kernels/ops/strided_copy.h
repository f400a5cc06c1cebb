// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

#include <array>
#include <utility>

namespace cannery::kernels {

/// Numbers along one dimension: how many, and how far apart in each row that is read and written.
struct CopyAxis
{
    std::int64_t size = 0;
    std::int64_t srcStep = 0;
    std::int64_t dstStep = 0;
};

/// Which numbers of a row go where: those at srcFirst + sum of i[a] * axes[a].srcStep, for all
/// 0 <= i[a] < axes[a].size, to dstFirst + sum of i[a] * axes[a].dstStep. No two of them go to the
/// same place. Covers transposes, and the insides of padded and cropped pictures.
struct StridedCopyProblem
{
    static constexpr std::size_t kMostAxes = 8;

    std::array<CopyAxis, kMostAxes> axes = {}; ///< the last one changes fastest
    std::size_t rank = 0;
    std::int64_t srcFirst = 0;
    std::int64_t dstFirst = 0;

    std::int64_t count() const
    {
        std::int64_t product = 1;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            product *= axes[axis].size;
        }
        return product;
    }
    /// The way back: the adjoint where every number of src is copied.
    StridedCopyProblem reversed() const
    {
        StridedCopyProblem back = *this;
        std::swap(back.srcFirst, back.dstFirst);
        for (CopyAxis& axis : back.axes) {
            std::swap(axis.srcStep, axis.dstStep);
        }
        return back;
    }
};

/// The same for each row of two matrices with as many rows, of any strides; what nothing goes to
/// stays as it is. Each row is copied by one thread.
struct StridedCopyKernels
{
    void (*run)(const StridedCopyProblem&, ThreadPool&, ConstMatrixView src,
                MatrixView dst) = nullptr;
};

using StridedCopyImplementation = Implementation<StridedCopyProblem, StridedCopyKernels>;
std::span<const StridedCopyImplementation> stridedCopyImplementations();
const StridedCopyKernels& stridedCopyKernels(const StridedCopyProblem& problem);

namespace cpu {
extern const StridedCopyKernels kStridedCopy;
}
namespace reference {
extern const StridedCopyKernels kStridedCopy;
}

} // namespace cannery::kernels
