// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/train/training_observer.h"

#include <string>
#include <vector>

namespace cannery::app {

/// The metrics of an evaluation as a small table, one per line.
std::vector<std::string> metricLines(const train::EvaluationResult& result);

/// `{"metric": value}`; NaN and infinities as text.
std::string metricsJson(const std::vector<metrics::MetricValue>& metrics);

} // namespace cannery::app
