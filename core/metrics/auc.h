// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

#include <cstdint>
#include <memory>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::metrics {

struct MetricSubject;

/// Areas under curves through 200 thresholds, -1e-7, i/199, 1 + 1e-7, positive: prediction >
/// threshold, a label is true if it is not 0 (tf.keras.metrics.AUC with its defaults). ROC:
/// trapezoids over false and true positive rate.
std::unique_ptr<Metric> makeAuc(float);
/// Precision-recall: between two thresholds, true positives are interpolated linearly in all
/// positives (Davis and Goadrich 2006), as in Keras's "interpolation".
std::unique_ptr<Metric> makeAucPrecisionRecall(float);
/// Precision-recall by trapezoids over recall and precision: what the canned heads of TensorFlow's
/// boosted trees report.
std::unique_ptr<Metric> makeAucPrecisionRecallTrapezoids(float);
/// tf.keras.metrics.AUC by its arguments: any number of thresholds, either curve. `minoring` and
/// `majoring` take the lower or the higher end of the curve between two thresholds.
std::unique_ptr<Metric> makeChosenAuc(const spec::Metric& metric, const MetricSubject&);

} // namespace cannery::metrics
