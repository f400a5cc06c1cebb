// SPDX-License-Identifier: Apache-2.0
#include "core/optimizers/gradient_clipping.h"

#include "kernels/ops/vector_ops.h"

#include <string_view>

namespace cannery::optimizers {

namespace {

double squaresOf(kernels::ThreadPool& pool, const ClippedGradient& gradient)
{
    return gradient.sliceSquares ? *gradient.sliceSquares
                                 : kernels::vectorKernels().sumOfSquares(pool, gradient.values);
}

} // namespace

void GradientClipping::apply(kernels::ThreadPool& pool,
                             std::span<const ClippedGradient> gradients) const
{
    const kernels::VectorKernels& vector = kernels::vectorKernels();
    for (const ClippedGradient& gradient : gradients) {
        // By value first, and by norm afterwards, as in Keras.
        if (clipvalue && !gradient.sliceSquares) {
            vector.clipByValue(pool, gradient.values, -*clipvalue, *clipvalue);
        }
        if (clipnorm) {
            kernels::clipByNorm(pool, gradient.values, squaresOf(pool, gradient), *clipnorm);
        }
    }
    if (!globalClipnorm) {
        return;
    }
    // In double, over all gradients.
    double sumOfSquares = 0.0;
    for (const ClippedGradient& gradient : gradients) {
        sumOfSquares += squaresOf(pool, gradient);
    }
    const float factor = kernels::globalNormScale(sumOfSquares, *globalClipnorm);
    for (const ClippedGradient& gradient : gradients) {
        vector.scale(pool, gradient.values, factor);
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
