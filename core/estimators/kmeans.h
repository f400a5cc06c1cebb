// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/estimators/estimator.h"

namespace cannery::estimators {

/// tf.compat.v1.estimator.experimental.KMeans: columns side by side in the order of their names,
/// and their distances from the variable `clusters`, which KMeansStep moves. Errors also:
/// "estimators.kmeans_centers".
Result<graph::LoweredModel> lowerKMeans(const LoweringRequest& request);

} // namespace cannery::estimators
