// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/bias_grad.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<BiasGradImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<BiasGradProblem>, &cpu::kBiasGrad},
    {"reference", acceptsAll<BiasGradProblem>, &reference::kBiasGrad},
}};

} // namespace

std::span<const BiasGradImplementation> biasGradImplementations()
{
    return kImplementations;
}

const BiasGradKernels& biasGradKernels(const BiasGradProblem& problem)
{
    return *choose(biasGradImplementations(), problem).kernels;
}

} // namespace cannery::kernels
