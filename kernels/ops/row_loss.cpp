// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/row_loss.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<RowLossImplementation, 1> kRowLossImplementations = {{
    {"reference", acceptsAll<RowLossProblem>, &reference::kRowLoss},
}};

} // namespace

std::span<const RowLossImplementation> rowLossImplementations()
{
    return kRowLossImplementations;
}

const RowLossKernels& rowLossKernels(const RowLossProblem& problem)
{
    return *choose(rowLossImplementations(), problem).kernels;
}

} // namespace cannery::kernels
