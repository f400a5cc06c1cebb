// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct SoftmaxProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// dst[r, c] = exp(src[r, c] - m_r) / sum_c exp(src[r, c] - m_r) with m_r the row's maximum.
struct SoftmaxKernels
{
    /// dst may be src itself.
    void (*run)(ThreadPool&, ConstMatrixView src, MatrixView dst) = nullptr;
    /// srcGrad[r, c] = dst[r, c] (dstGrad[r, c] - sum_k dstGrad[r, k] dst[r, k]); srcGrad may be
    /// dstGrad itself.
    void (*gradient)(ThreadPool&, ConstMatrixView dst, ConstMatrixView dstGrad,
                     MatrixView srcGrad) = nullptr;
};

using SoftmaxImplementation = Implementation<SoftmaxProblem, SoftmaxKernels>;
std::span<const SoftmaxImplementation> softmaxImplementations();
const SoftmaxKernels& softmaxKernels(const SoftmaxProblem& problem);

namespace cpu {
extern const SoftmaxKernels kSoftmax;
}
namespace reference {
extern const SoftmaxKernels kSoftmax;
}

} // namespace cannery::kernels
