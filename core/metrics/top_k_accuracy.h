// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// tf.keras.metrics.SparseTopKCategoricalAccuracy (tf.math.in_top_k): the share of rows for which
/// fewer than k classes are more probable than the right one, so that ties count as right. A row
/// whose probabilities are not finite is wrong.
std::unique_ptr<Metric> makeTopKAccuracy(const spec::Metric& metric, const MetricSubject& subject);
/// tf.keras.metrics.SparseCategoricalAccuracy for class ids: the share of rows whose most probable
/// class, the first one on ties, is the right one. Precision and recall over all classes of Keras
/// are the same. For probabilities: BinaryAccuracy, by the threshold of the metric.
std::unique_ptr<Metric> makeClassAccuracy(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
