// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/dropout.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<DropoutImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<DropoutProblem>, &cpu::kDropout},
    {"reference", acceptsAll<DropoutProblem>, &reference::kDropout},
}};

} // namespace

std::span<const DropoutImplementation> dropoutImplementations()
{
    return kImplementations;
}

const DropoutKernels& dropoutKernels(const DropoutProblem& problem)
{
    return *choose(dropoutImplementations(), problem).kernels;
}

} // namespace cannery::kernels
