// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct BiasGradProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// biasGrad[c] = sum over rows of dstGrad[r, c].
struct BiasGradKernels
{
    void (*run)(ThreadPool&, ConstMatrixView dstGrad, std::span<float> biasGrad) = nullptr;
};

using BiasGradImplementation = Implementation<BiasGradProblem, BiasGradKernels>;
std::span<const BiasGradImplementation> biasGradImplementations();
const BiasGradKernels& biasGradKernels(const BiasGradProblem& problem);

namespace cpu {
extern const BiasGradKernels kBiasGrad;
}
namespace reference {
extern const BiasGradKernels kBiasGrad;
}

} // namespace cannery::kernels
