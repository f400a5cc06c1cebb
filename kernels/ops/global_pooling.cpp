// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/global_pooling.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<GlobalPoolingImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<GlobalPoolingProblem>, &cpu::kGlobalPooling},
    {"reference", acceptsAll<GlobalPoolingProblem>, &reference::kGlobalPooling},
}};

} // namespace

std::span<const GlobalPoolingImplementation> globalPoolingImplementations()
{
    return kImplementations;
}

const GlobalPoolingKernels& globalPoolingKernels(const GlobalPoolingProblem& problem)
{
    return *choose(globalPoolingImplementations(), problem).kernels;
}

} // namespace cannery::kernels
