// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/optimizers/optimizer.h"

#include <memory>

namespace cannery::spec {
class Optimizer;
}

namespace cannery::optimizers {

/// kernels::FactoredStepKernels, by the rules of tf.keras.optimizers alone: it needs whole
/// variables. Slots r, c (of variables with at least two dimensions), v.
std::unique_ptr<Optimizer> makeAdafactor(const spec::Optimizer& message, OptimizerCommon common);

} // namespace cannery::optimizers
