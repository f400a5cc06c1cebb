// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

/// sum(weight * prediction) / sum(weight); 0 without values.
std::unique_ptr<Metric> makeMean(float);
/// The same for the labels.
std::unique_ptr<Metric> makeLabelMean(float);
/// max(m, 1 - m), m the weighted mean of the labels: the accuracy of always predicting the more
/// frequent class.
std::unique_ptr<Metric> makeAccuracyBaseline(float);

} // namespace cannery::metrics
