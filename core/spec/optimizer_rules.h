// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"
#include "core/spec/text/spec_path.h"

#include <optional>

namespace cannery::spec {

class Optimizer;

struct OptimizerProblem
{
    SpecPath path; ///< below the optimizer
    Error error;
};

/// What of an optimizer does not fit its `rules`, whose formulas only some kinds and options have
/// (reference: tf.keras.optimizers and tf.keras.optimizers.legacy of Keras 2.15); the first such
/// thing, or nothing.
std::optional<OptimizerProblem> rulesProblem(const Optimizer& optimizer);

} // namespace cannery::spec
