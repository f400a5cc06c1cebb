// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/gradient_clipping.h"

#include "kernels/ops/vector_ops.h"

#include <string_view>

namespace cannery::optimizers {

void GradientClipping::apply(kernels::ThreadPool& pool,
                             std::span<const std::span<float>> gradients) const
{
    const kernels::VectorKernels& vector = kernels::vectorKernels();
    for (const std::span<float> gradient : gradients) {
        // By value first, and by norm afterwards, as in Keras.
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
    // In double, over all gradients.
    double sumOfSquares = 0.0;
    for (const std::span<float> gradient : gradients) {
        sumOfSquares += vector.sumOfSquares(pool, gradient);
    }
    const float factor = kernels::globalNormScale(sumOfSquares, *globalClipnorm);
    for (const std::span<float> gradient : gradients) {
        vector.scale(pool, gradient, factor);
    }
}

void GradientClipping::place(kernels::AcceleratorProgram& program,
                             std::span<const kernels::GradientValues> gradients) const
{
    constexpr std::string_view kLabel = "clipping";
    const auto number = [&] {
        return reinterpret_cast<double*>(program.scratch(std::int64_t{sizeof(double)}));
    };
    for (const kernels::GradientValues& gradient : gradients) {
        if (clipvalue) {
            program.add(kernels::ClipByValue{.gradient = gradient, .limit = *clipvalue}, kLabel);
        }
        if (clipnorm) {
            double* const squares = number();
            program.add(kernels::SumOfSquares{.gradient = gradient, .sum = squares}, kLabel);
            program.add(kernels::ScaleByNorm{.gradient = gradient,
                                             .sumOfSquares = squares,
                                             .limit = *clipnorm,
                                             .ofVariable = true},
                        kLabel);
        }
    }
    if (!globalClipnorm) {
        return;
    }
    double* const squares = number();
    bool isFirst = true;
    for (const kernels::GradientValues& gradient : gradients) {
        program.add(kernels::SumOfSquares{.gradient = gradient, .sum = squares, .addTo = !isFirst},
                    kLabel);
        isFirst = false;
    }
    for (const kernels::GradientValues& gradient : gradients) {
        program.add(kernels::ScaleByNorm{.gradient = gradient,
                                         .sumOfSquares = squares,
                                         .limit = *globalClipnorm},
                    kLabel);
    }
}

} // namespace cannery::optimizers
