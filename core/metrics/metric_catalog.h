// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"
#include "core/metrics/metric_subject.h"
#include "core/spec/metrics.pb.h"

#include <memory>
#include <span>
#include <string_view>

namespace cannery::metrics {

enum class MetricKind
{
    Mean,                         ///< of the predictions
    LabelMean,                    ///< of the labels
    Accuracy,                     ///< fraction of predictions equal to their label
    AccuracyBaseline,             ///< max(m, 1 - m), m the mean of the labels
    ThresholdedAccuracy,          ///< fraction of (prediction > threshold) equal to their label
    Precision,                    ///< true positives / all (prediction > threshold)
    Recall,                       ///< true positives / all labels that are not 0
    Auc,                          ///< area under the ROC curve
    AucPrecisionRecall,           ///< area under the precision-recall curve
    AucPrecisionRecallTrapezoids, ///< the same, as tf.compat.v1.metrics.auc has it
    // Not reported by TensorFlow's heads.
    MajorityShare,                ///< fraction of the most frequent class id among the labels
    RootMeanSquaredError,         ///< of predictions
    MeanAbsoluteError,            ///< of predictions
    RSquared,                     ///< 1 - squared error / that of predicting the labels' mean
    RootMeanSquaredErrorBaseline, ///< of predicting the labels' mean
};

struct MetricRow
{
    MetricKind key;
    std::string_view name; ///< TensorFlow's key of the metric in canned heads, or cannery/...
    std::unique_ptr<Metric> (*make)(float threshold);
};

/// Every metric that heads have by themselves.
std::span<const MetricRow> metricCatalog();

/// `threshold` is read by ThresholdedAccuracy, Precision and Recall.
std::unique_ptr<Metric> makeMetric(MetricKind kind, float threshold = 0.5F);

/// A metric that an eval_spec adds to those of a head.
struct ChosenMetricRow
{
    spec::Metric::KindCase key;
    std::string_view name; ///< of the field of spec::Metric
    /// Reads its own case of the message.
    std::unique_ptr<Metric> (*make)(const spec::Metric& metric, const MetricSubject& subject);
};

/// Every metric of the schema, in its order.
std::span<const ChosenMetricRow> chosenMetricCatalog();

/// Its kind must be set and fit the subject (spec::metricMisfit).
std::unique_ptr<Metric> makeChosenMetric(const spec::Metric& metric, const MetricSubject& subject);

} // namespace cannery::metrics
