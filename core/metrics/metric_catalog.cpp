// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_catalog.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/metrics/accuracy.h"
#include "core/metrics/auc.h"
#include "core/metrics/brier_score.h"
#include "core/metrics/calibration_error.h"
#include "core/metrics/confusion_matrix.h"
#include "core/metrics/constrained_best.h"
#include "core/metrics/f1_score.h"
#include "core/metrics/log_loss.h"
#include "core/metrics/majority_share.h"
#include "core/metrics/mean.h"
#include "core/metrics/per_class.h"
#include "core/metrics/precision_recall.h"
#include "core/metrics/r2_score.h"
#include "core/metrics/regression_errors.h"
#include "core/metrics/top_k_accuracy.h"

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

/// A metric without arguments that treats every prediction alike.
template <std::unique_ptr<Metric> (*kMake)(float)>
std::unique_ptr<Metric> plain(const spec::Metric&, const MetricSubject&)
{
    return kMake(0.0F);
}

using Chosen = spec::Metric;

constexpr std::array kChosenCatalog{
    ChosenMetricRow{Chosen::kMean, "mean", plain<makeMean>},
    ChosenMetricRow{Chosen::kMeanAbsoluteError, "mean_absolute_error",
                    plain<makeMeanAbsoluteError>},
    ChosenMetricRow{Chosen::kMeanSquaredError, "mean_squared_error", plain<makeMeanSquaredError>},
    ChosenMetricRow{Chosen::kRootMeanSquaredError, "root_mean_squared_error",
                    plain<makeRootMeanSquaredError>},
    ChosenMetricRow{Chosen::kMeanAbsolutePercentageError, "mean_absolute_percentage_error",
                    plain<makeMeanAbsolutePercentageError>},
    ChosenMetricRow{Chosen::kR2Score, "r2_score", makeR2Score},
    ChosenMetricRow{Chosen::kAccuracy, "accuracy", makeClassAccuracy},
    ChosenMetricRow{Chosen::kPrecision, "precision", makeChosenPrecision},
    ChosenMetricRow{Chosen::kRecall, "recall", makeChosenRecall},
    ChosenMetricRow{Chosen::kF1Score, "f1_score", makeF1Score},
    ChosenMetricRow{Chosen::kAuc, "auc", makeChosenAuc},
    ChosenMetricRow{Chosen::kRecallAtPrecision, "recall_at_precision", makeRecallAtPrecision},
    ChosenMetricRow{Chosen::kPrecisionAtRecall, "precision_at_recall", makePrecisionAtRecall},
    ChosenMetricRow{Chosen::kTopKCategoricalAccuracy, "top_k_categorical_accuracy",
                    makeTopKAccuracy},
    ChosenMetricRow{Chosen::kLogLoss, "log_loss", makeLogLoss},
    ChosenMetricRow{Chosen::kBrierScore, "brier_score", makeBrierScore},
    ChosenMetricRow{Chosen::kCalibrationError, "calibration_error", makeCalibrationError},
    ChosenMetricRow{Chosen::kConfusionMatrix, "confusion_matrix", makeConfusionMatrix},
    ChosenMetricRow{Chosen::kPerClass, "per_class", makePerClass},
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

std::span<const ChosenMetricRow> chosenMetricCatalog()
{
    return kChosenCatalog;
}

std::unique_ptr<Metric> makeChosenMetric(const spec::Metric& metric, const MetricSubject& subject)
{
    const ChosenMetricRow* row = findRow(kChosenCatalog, metric.kind_case());
    CANNERY_CHECK(row != nullptr);
    return row->make(metric, subject);
}

} // namespace cannery::metrics
