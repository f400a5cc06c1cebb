// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// tf.keras.metrics.R2Score: 1 - squared error / squared distance of the labels from their mean; of
/// several numbers per row, the mean over the numbers. 0 for labels that are all alike.
std::unique_ptr<Metric> makeR2Score(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
