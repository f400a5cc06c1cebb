// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

#include "kernels/math/optimizer_cells.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<OptimizerStepImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<OptimizerStepProblem>, &cpu::kOptimizerStep},
    {"reference", acceptsAll<OptimizerStepProblem>, &reference::kOptimizerStep},
}};

} // namespace

bool fillsWithZeros(const OptimizerUpdate& update)
{
    return std::visit(
        [](const auto& rule) { return kFillsWithZeros<std::decay_t<decltype(rule)>>; }, update);
}

std::span<const OptimizerStepImplementation> optimizerStepImplementations()
{
    return kImplementations;
}

const OptimizerStepKernels& optimizerStepKernels(const OptimizerStepProblem& problem)
{
    return *choose(optimizerStepImplementations(), problem).kernels;
}

} // namespace cannery::kernels
