// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

/// Weighted fraction of the rows whose prediction, a class id, equals the label.
std::unique_ptr<Metric> makeAccuracy(float);
/// Weighted fraction of the rows where (prediction > threshold), as 0 or 1, equals the label.
std::unique_ptr<Metric> makeThresholdedAccuracy(float threshold);

} // namespace cannery::metrics
