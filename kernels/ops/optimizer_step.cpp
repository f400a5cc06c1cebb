// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<OptimizerStepImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<OptimizerStepProblem>, &cpu::kOptimizerStep},
    {"reference", acceptsAll<OptimizerStepProblem>, &reference::kOptimizerStep},
}};

} // namespace

std::span<const OptimizerStepImplementation> optimizerStepImplementations()
{
    return kImplementations;
}

const OptimizerStepKernels& optimizerStepKernels(const OptimizerStepProblem& problem)
{
    return *choose(optimizerStepImplementations(), problem).kernels;
}

} // namespace cannery::kernels
