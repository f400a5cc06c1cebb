// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/recurrent_cell.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<RecurrentImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<RecurrentProblem>, &cpu::kRecurrent},
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
