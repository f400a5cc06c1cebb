// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

// Distance of predictions from numeric labels, compared with always predicting the labels' mean.
// Weights count as in tf.keras.metrics; without rows all of them are 0.

/// sqrt(sum(weight * (prediction - label)²) / sum(weight))
std::unique_ptr<Metric> makeRootMeanSquaredError(float);
/// sum(weight * |prediction - label|) / sum(weight)
std::unique_ptr<Metric> makeMeanAbsoluteError(float);
/// sum(weight * (prediction - label)²) / sum(weight)
std::unique_ptr<Metric> makeMeanSquaredError(float);
/// 100 sum(weight * |prediction - label| / max(|label|, 1e-7)) / sum(weight)
std::unique_ptr<Metric> makeMeanAbsolutePercentageError(float);
/// 1 - squared error / squared error of predicting the mean; 0 if all labels are equal.
std::unique_ptr<Metric> makeRSquared(float);
/// The root mean squared error of predicting the mean: the labels' standard deviation.
std::unique_ptr<Metric> makeRootMeanSquaredErrorBaseline(float);

} // namespace cannery::metrics
