// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// tf.keras.metrics.RecallAtPrecision: the highest recall among the thresholds whose precision is
/// at least the given one; 0 if there is none.
std::unique_ptr<Metric> makeRecallAtPrecision(const spec::Metric& metric, const MetricSubject&);
/// tf.keras.metrics.PrecisionAtRecall: the other way round.
std::unique_ptr<Metric> makePrecisionAtRecall(const spec::Metric& metric, const MetricSubject&);

} // namespace cannery::metrics
