// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_catalog.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/metrics/accuracy.h"
#include "core/metrics/auc.h"
#include "core/metrics/majority_share.h"
#include "core/metrics/mean.h"
#include "core/metrics/precision_recall.h"
#include "core/metrics/regression_errors.h"

#include <array>

namespace cannery::metrics {
namespace {

constexpr std::array kCatalog{
    MetricRow{MetricKind::Mean, "prediction/mean", makeMean},
    MetricRow{MetricKind::LabelMean, "label/mean", makeLabelMean},
    MetricRow{MetricKind::Accuracy, "accuracy", makeAccuracy},
    MetricRow{MetricKind::AccuracyBaseline, "accuracy_baseline", makeAccuracyBaseline},
    MetricRow{MetricKind::ThresholdedAccuracy, "accuracy/positive_threshold",
              makeThresholdedAccuracy},
    MetricRow{MetricKind::Precision, "precision", makePrecision},
    MetricRow{MetricKind::Recall, "recall", makeRecall},
    MetricRow{MetricKind::Auc, "auc", makeAuc},
    MetricRow{MetricKind::AucPrecisionRecall, "auc_precision_recall", makeAucPrecisionRecall},
    MetricRow{MetricKind::AucPrecisionRecallTrapezoids, "auc_precision_recall_trapezoids",
              makeAucPrecisionRecallTrapezoids},
    MetricRow{MetricKind::MajorityShare, "cannery/accuracy_baseline", makeMajorityShare},
    MetricRow{MetricKind::RootMeanSquaredError, "cannery/rmse", makeRootMeanSquaredError},
    MetricRow{MetricKind::MeanAbsoluteError, "cannery/mae", makeMeanAbsoluteError},
    MetricRow{MetricKind::RSquared, "cannery/r2", makeRSquared},
    MetricRow{MetricKind::RootMeanSquaredErrorBaseline, "cannery/rmse_baseline",
              makeRootMeanSquaredErrorBaseline},
};

} // namespace

std::span<const MetricRow> metricCatalog()
{
    return kCatalog;
}

std::unique_ptr<Metric> makeMetric(MetricKind kind, float threshold)
{
    const MetricRow* row = findRow(kCatalog, kind);
    CANNERY_CHECK(row != nullptr);
    return row->make(threshold);
}

} // namespace cannery::metrics
