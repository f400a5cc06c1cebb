// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// Precision, recall, F1 and the weight of the rows of each class: a table, and the same as numbers
/// "<name>/<class>/recall". A probability above 0.5 is positive; of class ids the most probable one
/// is predicted, the first one on ties.
std::unique_ptr<Metric> makePerClass(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
