// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/attention.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<AttentionImplementation, 2> kImplementations = {{
    {"vector", acceptsAll<AttentionProblem>, &cpu::kAttention},
    {"reference", acceptsAll<AttentionProblem>, &reference::kAttention},
}};

} // namespace

std::span<const AttentionImplementation> attentionImplementations()
{
    return kImplementations;
}

const AttentionKernels& attentionKernels(const AttentionProblem& problem)
{
    return *choose(attentionImplementations(), problem).kernels;
}

} // namespace cannery::kernels
