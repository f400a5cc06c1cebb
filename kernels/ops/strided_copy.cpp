// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/strided_copy.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<StridedCopyImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<StridedCopyProblem>, &cpu::kStridedCopy},
    {"reference", acceptsAll<StridedCopyProblem>, &reference::kStridedCopy},
}};

} // namespace

std::span<const StridedCopyImplementation> stridedCopyImplementations()
{
    return kImplementations;
}

const StridedCopyKernels& stridedCopyKernels(const StridedCopyProblem& problem)
{
    return *choose(stridedCopyImplementations(), problem).kernels;
}

} // namespace cannery::kernels
