// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/cpu_level.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/activations.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

/// Shapes of dst[rows x cols] = src[rows x depth] * weights[depth x cols].
struct MatmulProblem
{
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t cols = 0;
    CpuLevel level = cpuLevel();
};

/// What is applied to the product: dst = activation((accumulate ? dst : 0) + product + bias). An
/// empty bias means none.
struct MatmulEpilogue
{
    std::span<const float> bias;
    Activation activation = Activation::Linear;
    bool accumulate = false;
};

/// The dense layer's three products. Outputs never overlap inputs. Every element is summed along
/// the shared dimension in one fixed order, so bits depend neither on threads nor on the other
/// rows. A shared dimension of 0 gives zeros (and the epilogue).
struct MatmulKernels
{
    void (*forward)(ThreadPool&, ConstMatrixView src, ConstMatrixView weights,
                    const MatmulEpilogue&, MatrixView dst) = nullptr;
    /// srcGrad = dstGrad * transposed(weights)
    void (*srcGradient)(ThreadPool&, ConstMatrixView dstGrad, ConstMatrixView weights,
                        MatrixView srcGrad) = nullptr;
    /// weightsGrad = transposed(src) * dstGrad
    void (*weightsGradient)(ThreadPool&, ConstMatrixView src, ConstMatrixView dstGrad,
                            MatrixView weightsGrad) = nullptr;
};

using MatmulImplementation = Implementation<MatmulProblem, MatmulKernels>;
std::span<const MatmulImplementation> matmulImplementations();

/// The table that a plan keeps for this problem.
const MatmulKernels& matmulKernels(const MatmulProblem& problem);

namespace cpu {
extern const MatmulKernels kMatmul;
extern const MatmulKernels kMatmulAvx512;
} // namespace cpu
namespace reference {
extern const MatmulKernels kMatmul;
}

} // namespace cannery::kernels
