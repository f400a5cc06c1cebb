// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

#include <string>
#include <vector>

namespace cannery::estimators {

/// A model of boosted trees over these feature columns, in the order of their TensorFlow names,
/// with the head that the estimator implies. Errors: "estimators.trees_column", those of
/// lowerColumns() and heads::makeHead.
Result<graph::LoweredModel> lowerBoostedTrees(const LoweringRequest& request,
                                              const std::vector<std::string>& columns);

} // namespace cannery::estimators
