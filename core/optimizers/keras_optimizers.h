// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

/// The optimizers of tf.keras.optimizers since TensorFlow 2.11 (Keras 2.15), for `rules: keras`:
/// formulas in kernels/math/keras_updates.h, slots by Keras's names.
namespace cannery::optimizers {

/// Slot m, even without momentum.
std::unique_ptr<Optimizer> makeKerasSgd(const spec::Optimizer& message, OptimizerCommon common);
/// Slot accumulator.
std::unique_ptr<Optimizer> makeKerasAdagrad(const spec::Optimizer& message, OptimizerCommon common);
/// Slots m, v, and vhat with amsgrad.
std::unique_ptr<Optimizer> makeKerasAdam(const spec::Optimizer& message, OptimizerCommon common);
/// The same without amsgrad; its weight decay is among the common options.
std::unique_ptr<Optimizer> makeKerasAdamW(const spec::Optimizer& message, OptimizerCommon common);
/// Slots velocity, momentum (only if momentum > 0), average_gradient (only if centered).
std::unique_ptr<Optimizer> makeKerasRmsprop(const spec::Optimizer& message, OptimizerCommon common);
/// Slots accumulator, linear.
std::unique_ptr<Optimizer> makeKerasFtrl(const spec::Optimizer& message, OptimizerCommon common);
/// Slots m, v; the scalar u_product is state.
std::unique_ptr<Optimizer> makeKerasNadam(const spec::Optimizer& message, OptimizerCommon common);
/// Slots accumulated_grad, accumulated_delta_var.
std::unique_ptr<Optimizer> makeKerasAdadelta(const spec::Optimizer& message,
                                             OptimizerCommon common);
/// Slots m, u.
std::unique_ptr<Optimizer> makeKerasAdamax(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
