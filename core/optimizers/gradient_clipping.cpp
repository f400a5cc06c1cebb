// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/gradient_clipping.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::optimizers {

void GradientClipping::apply(kernels::ThreadPool& pool,
                             std::span<const std::span<float>> gradients) const
{
    const kernels::VectorKernels& vector = kernels::vectorKernels();
    for (const std::span<float> gradient : gradients) {
        if (clipvalue) {
            vector.clipByValue(pool, gradient, -*clipvalue, *clipvalue);
        }
        if (clipnorm) {
            kernels::clipByNorm(pool, gradient, *clipnorm);
        }
    }
    if (!globalClipnorm) {
        return;
    }
    double sumOfSquares = 0.0;
    for (const std::span<float> gradient : gradients) {
        sumOfSquares += vector.sumOfSquares(pool, gradient);
    }
    const float factor = kernels::globalNormScale(sumOfSquares, *globalClipnorm);
    for (const std::span<float> gradient : gradients) {
        vector.scale(pool, gradient, factor);
    }
}

} // namespace cannery::optimizers
