// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/loss.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<LossImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<LossProblem>, &cpu::kLoss},
    {"reference", acceptsAll<LossProblem>, &reference::kLoss},
}};

} // namespace

std::span<const LossImplementation> lossImplementations()
{
    return kImplementations;
}

const LossKernels& lossKernels(const LossProblem& problem)
{
    return *choose(lossImplementations(), problem).kernels;
}

} // namespace cannery::kernels
