// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"

#include <array>

namespace cannery::kernels {

namespace {

constexpr std::array<BatchNormImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<BatchNormProblem>, &cpu::kBatchNorm},
    {"reference", acceptsAll<BatchNormProblem>, &reference::kBatchNorm},
}};

} // namespace

std::span<const BatchNormImplementation> batchNormImplementations()
{
    return kImplementations;
}

const BatchNormKernels& batchNormKernels(const BatchNormProblem& problem)
{
    return *choose(batchNormImplementations(), problem).kernels;
}

void updateMovingMoments(std::span<float> moving, std::span<const float> batch, float momentum)
{
    const float decay = 1.0F - momentum;
    for (std::size_t i = 0; i < moving.size(); ++i) {
        moving[i] -= (moving[i] - batch[i]) * decay;
    }
}

} // namespace cannery::kernels
