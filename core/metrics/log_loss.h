// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// The mean cross entropy. Probabilities p of yes or no, tf.keras.metrics.BinaryCrossentropy:
/// -y log(p + e) - (1 - y) log(1 - p + e), of class ids, SparseCategoricalCrossentropy:
/// log(sum of p) - log(p of the right class), p clipped to [e, 1 - e], e = 1e-7.
std::unique_ptr<Metric> makeLogLoss(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
