// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/parametric_activations.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct ParametricActivationProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// One slope of a PReLU for each element of a row: column c has slopes[indices[c]].
struct LearnedSlopes
{
    std::span<const float> slopes;
    std::span<const std::int32_t> indices; ///< as many as columns
};

/// Activation functions with parameters, number by number: y = f(x) and the gradient g f'(x), which
/// is computed from x. Formulas: kernels/math/parametric_activations.h. Views of equal shape; the
/// gradients may overwrite dstGrad.
struct ParametricActivationKernels
{
    void (*rectify)(ThreadPool&, const Rectifier&, ConstMatrixView src, MatrixView dst) = nullptr;
    void (*rectifyGradient)(ThreadPool&, const Rectifier&, ConstMatrixView src,
                            ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
    /// x > 0 ? x : alpha (e^x - 1)
    void (*exponentialUnit)(ThreadPool&, float alpha, ConstMatrixView src,
                            MatrixView dst) = nullptr;
    void (*exponentialUnitGradient)(ThreadPool&, float alpha, ConstMatrixView src,
                                    ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
    /// x > 0 ? x : slope x
    void (*learned)(ThreadPool&, const LearnedSlopes&, ConstMatrixView src,
                    MatrixView dst) = nullptr;
    void (*learnedGradient)(ThreadPool&, const LearnedSlopes&, ConstMatrixView src,
                            ConstMatrixView dstGrad, MatrixView srcGrad) = nullptr;
    /// columns[c] = sum over rows, in their order, of min(x, 0) dstGrad: what each column adds to
    /// the gradient of its slope.
    void (*slopeGradient)(ThreadPool&, ConstMatrixView src, ConstMatrixView dstGrad,
                          std::span<double> columns) = nullptr;
};

using ParametricActivationImplementation =
    Implementation<ParametricActivationProblem, ParametricActivationKernels>;
std::span<const ParametricActivationImplementation> parametricActivationImplementations();
const ParametricActivationKernels&
parametricActivationKernels(const ParametricActivationProblem& problem);

namespace cpu {
extern const ParametricActivationKernels kParametricActivation;
}
namespace reference {
extern const ParametricActivationKernels kParametricActivation;
}

} // namespace cannery::kernels
