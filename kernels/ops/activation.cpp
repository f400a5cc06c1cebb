// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/activation.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<ActivationImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<ActivationProblem>, &cpu::kActivation},
    {"reference", acceptsAll<ActivationProblem>, &reference::kActivation},
}};

} // namespace

std::span<const ActivationImplementation> activationImplementations()
{
    return kImplementations;
}

const ActivationKernels& activationKernels(const ActivationProblem& problem)
{
    return *choose(activationImplementations(), problem).kernels;
}

} // namespace cannery::kernels
