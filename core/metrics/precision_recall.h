// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// Weights of true positives divided by those of all positives, positive: prediction > threshold. A
/// label is true if it is not 0.
std::unique_ptr<Metric> makePrecision(float threshold);
/// Weights of true positives divided by those of all true labels.
std::unique_ptr<Metric> makeRecall(float threshold);
/// tf.keras.metrics.Precision and Recall of all classes together: of class ids the most probable
/// one is predicted, so that both are the accuracy.
std::unique_ptr<Metric> makeChosenPrecision(const spec::Metric& metric,
                                            const MetricSubject& subject);
std::unique_ptr<Metric> makeChosenRecall(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
