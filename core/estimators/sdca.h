// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/lowered_model.h"

namespace cannery::estimators {

/// Lets a lowered linear model train by SdcaStep. Errors: "estimators.sdca_model" unless it is a
/// linear model of one logit whose columns have no weights of their own, with the squared or the
/// logistic loss.
Result<void> trainBySdca(graph::LoweredModel& model, const spec::LinearSDCA& message);

} // namespace cannery::estimators
