// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/metrics/metric.h"

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

/// Every metric.
std::span<const MetricRow> metricCatalog();

/// `threshold` is read by ThresholdedAccuracy, Precision and Recall.
std::unique_ptr<Metric> makeMetric(MetricKind kind, float threshold = 0.5F);

} // namespace cannery::metrics
