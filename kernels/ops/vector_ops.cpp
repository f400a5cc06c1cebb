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

void clipByNorm(ThreadPool& pool, std::span<float> grad, float limit)
{
    const float squares = static_cast<float>(vectorKernels().sumOfSquares(pool, grad));
    const float norm = squares > 0.0F ? std::sqrt(squares) : squares;
    const float divisor = norm < limit ? limit : norm;
    forEachBlock(pool, static_cast<std::int64_t>(grad.size()), 65536, [&](BlockRange block, int) {
        for (float& value : grad.subspan(block.first, block.count)) {
            value = value * limit / divisor;
        }
    });
}

float globalNormScale(double sumOfSquares, float limit)
{
    const float norm = std::sqrt(static_cast<float>(sumOfSquares));
    const float scale = limit * std::min(1.0F / norm, 1.0F / limit);
    // Infinity minus itself: NaN when the norm is not finite.
    return scale + (norm - norm);
}

} // namespace cannery::kernels
