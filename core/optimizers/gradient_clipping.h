// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/program.h"
#include "kernels/device/thread_pool.h"

#include <optional>
#include <span>

namespace cannery::optimizers {

/// Holds gradients within bounds before they are applied, as the `clipvalue`, `clipnorm` and
/// `global_clipnorm` of Keras do, and in this order:
/// clipvalue  g = min(max(g, -c), c) per element
/// clipnorm   g *= c / max(|g|, c), |g| the L2 norm of the gradient of one variable
/// global_clipnorm   the same with |g| over all variables of the optimizer
struct GradientClipping
{
    std::optional<float> clipvalue;
    std::optional<float> clipnorm;
    std::optional<float> globalClipnorm;

    bool any() const { return clipvalue || clipnorm || globalClipnorm; }

    /// `gradients`: one span per variable, all those of one optimizer, in a fixed order; for a
    /// sparse gradient its values. Same bits for any number of threads.
    void apply(kernels::ThreadPool& pool, std::span<const std::span<float>> gradients) const;

    /// The same as operations of an accelerator.
    void place(kernels::AcceleratorProgram& program,
               std::span<const kernels::GradientValues> gradients) const;
};

} // namespace cannery::optimizers
