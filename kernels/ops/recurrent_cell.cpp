// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"

#include <array>

namespace cannery::kernels {

namespace {

std::string_view refusesUnusual(const RecurrentProblem& problem)
{
    return problem.rule.isUsual() ? "" : "other functions than tanh and sigmoid, or an early reset";
}

constexpr std::array<RecurrentImplementation, 3> kImplementations = {{
    {"avx2", refusesUnusual, &cpu::kRecurrent},
    {"any", acceptsAll<RecurrentProblem>, &cpu::kAnyRecurrent},
    {"reference", acceptsAll<RecurrentProblem>, &reference::kRecurrent},
}};

} // namespace

std::span<const RecurrentImplementation> recurrentImplementations()
{
    return kImplementations;
}

const RecurrentKernels& recurrentKernels(const RecurrentProblem& problem)
{
    return *choose(recurrentImplementations(), problem).kernels;
}

} // namespace cannery::kernels
