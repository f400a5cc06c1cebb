// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/program.h"
#include "kernels/device/thread_pool.h"

#include <optional>
#include <span>

namespace cannery::optimizers {

/// The gradient of one variable, of a sparse one its rows.
struct ClippedGradient
{
    std::span<float> values;
    /// Of sums of slices: the sum of the squares of the slices, whose elements are clipped already.
    std::optional<double> sliceSquares = std::nullopt;
};

/// Holds gradients within bounds before they are applied, as the `clipvalue`, `clipnorm` and
/// `global_clipnorm` of Keras do, and in this order:
/// clipvalue  g = min(max(g, -c), c) per element
/// clipnorm   g *= c / max(|g|, c), |g| the L2 norm of the gradient of one variable
/// global_clipnorm   the same with |g| over all variables of the optimizer
/// The gradient of a table that several lookups read is clipped as TensorFlow does it, one slice
/// for each lookup, before the slices of equal rows are added.
struct GradientClipping
{
    std::optional<float> clipvalue;
    std::optional<float> clipnorm;
    std::optional<float> globalClipnorm;

    bool any() const { return clipvalue || clipnorm || globalClipnorm; }

    /// `gradients`: of all variables of one optimizer, in a fixed order. Same bits for any number
    /// of threads.
    void apply(kernels::ThreadPool& pool, std::span<const ClippedGradient> gradients) const;

    /// The same as operations of an accelerator.
    void place(kernels::AcceleratorProgram& program,
               std::span<const kernels::GradientValues> gradients) const;
};

} // namespace cannery::optimizers
