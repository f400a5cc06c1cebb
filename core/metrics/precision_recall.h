// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

/// Weights of true positives divided by those of all positives, positive: prediction > threshold. A
/// label is true if it is not 0.
std::unique_ptr<Metric> makePrecision(float threshold);
/// Weights of true positives divided by those of all true labels.
std::unique_ptr<Metric> makeRecall(float threshold);

} // namespace cannery::metrics
