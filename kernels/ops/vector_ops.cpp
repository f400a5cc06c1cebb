// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::kernels {

namespace {

constexpr std::array<VectorImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<VectorProblem>, &cpu::kVector},
    {"reference", acceptsAll<VectorProblem>, &reference::kVector},
}};

} // namespace

std::span<const VectorImplementation> vectorImplementations()
{
    return kImplementations;
}

const VectorKernels& vectorKernels()
{
    return *choose(vectorImplementations(), VectorProblem()).kernels;
}

void clipByNorm(ThreadPool& pool, std::span<float> grad, double sumOfSquares, float limit)
{
    const float divisor = normDivisor(sumOfSquares, limit);
    forEachBlock(pool, static_cast<std::int64_t>(grad.size()), 65536, [&](BlockRange block, int) {
        for (float& value : grad.subspan(block.first, block.count)) {
            value = value * limit / divisor;
        }
    });
}

} // namespace cannery::kernels
