// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/spec/experiment.pb.h"

#include <string>
#include <vector>

namespace cannery::launch {

/// The metric by which a sweep compares its runs is none of these.
Error noSuchMetric(const std::string& metric, const std::vector<std::string>& names);

/// "sweep.no_metric" if evaluations of the experiment will not have the metric. Of the experiment
/// alone, without its rows; `folder`: where its relative paths start. Errors: also those of making
/// its model.
Result<void> checkSweepMetric(const spec::Experiment& experiment, const std::string& metric,
                              const std::string& folder);

} // namespace cannery::launch
