// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/factored_step.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<FactoredStepImplementation, 2> kFactoredSteps = {{
    {"avx2", acceptsAll<FactoredStepProblem>, &cpu::kFactoredStep},
    {"reference", acceptsAll<FactoredStepProblem>, &reference::kFactoredStep},
}};

} // namespace

std::span<const FactoredStepImplementation> factoredStepImplementations()
{
    return kFactoredSteps;
}

const FactoredStepKernels& factoredStepKernels(const FactoredStepProblem& problem)
{
    return *choose(factoredStepImplementations(), problem).kernels;
}

} // namespace cannery::kernels
