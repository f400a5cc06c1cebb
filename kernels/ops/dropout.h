// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct DropoutProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// Determines which values are dropped: the mask is a pure function of (seed, layer, step, row,
/// unit), independent of threads, shards and the size of the batch.
struct DropoutMask
{
    float rate = 0.5F; ///< the probability of dropping, in [0, 1)
    std::uint64_t seed = 0;
    std::uint32_t layer =
        0; ///< distinguishes several dropouts of one model; the low 16 bits are used
    std::uint64_t step = 0;     ///< the low 48 bits are used
    std::uint64_t firstRow = 0; ///< index of row 0 of the view in the global batch
};

/// dst = keep ? src / (1 - rate) : 0 with keep = uniform >= rate, as in tf.nn.dropout. The gradient
/// is the same map with the same mask, so `run` serves both: pass it dstGrad and srcGrad.
struct DropoutKernels
{
    /// dst may be src itself.
    void (*run)(ThreadPool&, const DropoutMask&, ConstMatrixView src, MatrixView dst) = nullptr;
};

using DropoutImplementation = Implementation<DropoutProblem, DropoutKernels>;
std::span<const DropoutImplementation> dropoutImplementations();
const DropoutKernels& dropoutKernels(const DropoutProblem& problem);

namespace cpu {
extern const DropoutKernels kDropout;
extern const DropoutKernels kDropoutPlain; ///< on any processor
} // namespace cpu
namespace reference {
extern const DropoutKernels kDropout;
}

} // namespace cannery::kernels
