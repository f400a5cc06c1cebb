// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/softmax.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<SoftmaxImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<SoftmaxProblem>, &cpu::kSoftmax},
    {"reference", acceptsAll<SoftmaxProblem>, &reference::kSoftmax},
}};

} // namespace

std::span<const SoftmaxImplementation> softmaxImplementations()
{
    return kImplementations;
}

const SoftmaxKernels& softmaxKernels(const SoftmaxProblem& problem)
{
    return *choose(softmaxImplementations(), problem).kernels;
}

} // namespace cannery::kernels
