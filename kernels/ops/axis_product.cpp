// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/axis_product.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<AxisProductImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<AxisProductProblem>, &cpu::kAxisProduct},
    {"reference", acceptsAll<AxisProductProblem>, &reference::kAxisProduct},
}};

} // namespace

std::span<const AxisProductImplementation> axisProductImplementations()
{
    return kImplementations;
}

const AxisProductKernels& axisProductKernels(const AxisProductProblem& problem)
{
    return *choose(axisProductImplementations(), problem).kernels;
}

} // namespace cannery::kernels
