// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// tf.keras.metrics.F1Score: 2 precision recall / (precision + recall) of each class. `macro`:
/// their mean; `weighted`: weighted by the rows of each class; `micro`: of all counts together. Of
/// class ids the most probable one is predicted, and all of those that tie.
std::unique_ptr<Metric> makeF1Score(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
