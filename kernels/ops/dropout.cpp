// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/dropout.h"

#include "kernels/device/instructions.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr auto kImplementations = std::to_array<DropoutImplementation>({
#if CANNERY_X86_64_V3
    {"avx2", acceptsAll<DropoutProblem>, &cpu::kDropout},
#endif
        {"plain", acceptsAll<DropoutProblem>, &cpu::kDropoutPlain},
        {"reference", acceptsAll<DropoutProblem>, &reference::kDropout},
});

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
