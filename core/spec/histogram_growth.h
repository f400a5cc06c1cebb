// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <string>

namespace cannery::spec {

/// Whether the estimator has trees, however they grow.
bool growsTrees(const Estimator& estimator);

/// How the estimator's trees grow leaf by leaf; null if they don't, or it has no trees.
const HistogramGrowth* histogramGrowthOf(const Estimator& estimator);

/// Whether missing numbers of a numeric column without a default are NaN rather than errors,
/// because the trees learn where they go: the estimator reads the column itself, and nothing
/// buckets it.
bool keepsMissingNumbers(const Experiment& experiment, const std::string& column);

} // namespace cannery::spec
