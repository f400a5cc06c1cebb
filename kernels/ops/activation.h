// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/activations.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct ActivationProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    Activation activation = Activation::Linear;
};

/// Views of equal shape.
struct ActivationGradient
{
    ConstMatrixView src; ///< only read if needsInput(activation), otherwise may be empty
    ConstMatrixView dst; ///< only read if !needsInput(activation), otherwise may be empty
    ConstMatrixView dstGrad;
    MatrixView srcGrad; ///< may be dstGrad itself
};

struct ActivationKernels
{
    /// dst = activation(src + bias); an empty bias means none; dst may be src itself.
    void (*forward)(ThreadPool&, Activation, ConstMatrixView src, std::span<const float> bias,
                    MatrixView dst) = nullptr;
    /// srcGrad = dstGrad * activation'.
    void (*backward)(ThreadPool&, Activation, const ActivationGradient&) = nullptr;
};

using ActivationImplementation = Implementation<ActivationProblem, ActivationKernels>;
std::span<const ActivationImplementation> activationImplementations();
const ActivationKernels& activationKernels(const ActivationProblem& problem);

namespace cpu {
extern const ActivationKernels kActivation;
}
namespace reference {
extern const ActivationKernels kActivation;
}

} // namespace cannery::kernels
