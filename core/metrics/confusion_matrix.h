// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// tf.math.confusion_matrix: a row for each label, a column for each prediction, the weights of the
/// rows of the data. It is a table and no number.
std::unique_ptr<Metric> makeConfusionMatrix(const spec::Metric& metric,
                                            const MetricSubject& subject);

} // namespace cannery::metrics
