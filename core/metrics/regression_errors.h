// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::metrics {

// How far predictions are from numeric labels, beside a guess that says the labels' mean every
// time. Weights count as in tf.keras.metrics; without rows every one of them is 0.

/// sqrt(sum(weight * (prediction - label)²) / sum(weight))
std::unique_ptr<Metric> makeRootMeanSquaredError(float);
/// sum(weight * |prediction - label|) / sum(weight)
std::unique_ptr<Metric> makeMeanAbsoluteError(float);
/// 1 - squared error / squared error of the guess; 0 where all labels are the same.
std::unique_ptr<Metric> makeRSquared(float);
/// The root mean squared error of the guess: the labels' deviation.
std::unique_ptr<Metric> makeRootMeanSquaredErrorBaseline(float);

} // namespace cannery::metrics
