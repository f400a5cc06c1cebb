// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/parametric_activation.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<ParametricActivationImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<ParametricActivationProblem>, &cpu::kParametricActivation},
    {"reference", acceptsAll<ParametricActivationProblem>, &reference::kParametricActivation},
}};

} // namespace

std::span<const ParametricActivationImplementation> parametricActivationImplementations()
{
    return kImplementations;
}

const ParametricActivationKernels&
parametricActivationKernels(const ParametricActivationProblem& problem)
{
    return *choose(parametricActivationImplementations(), problem).kernels;
}

} // namespace cannery::kernels
