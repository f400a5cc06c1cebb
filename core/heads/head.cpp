// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head.h"

#include "core/metrics/metric_catalog.h"
#include "core/spec/metric_kinds.h"

#include <algorithm>

namespace cannery::heads {
namespace {

constexpr ErrorKind kNotMeasured{
    "head.not_measured",
    "The metric {} has nothing to measure: the model has no head '{}' with labels. Remove it."};

constexpr ErrorKind kNotPlaced{
    "head.not_placed",
    "A GPU does not compute the loss of this kind of model. Set strategy.one_device.device to "
    "\"CPU:0\", or \"auto\"."};

constexpr int kBatchLossSeries = 0;
constexpr int kFirstHeadSeries = 1;

} // namespace

Result<void> Head::placeLoss(kernels::AcceleratorProgram& /*program*/,
                             const PlacedHeadBatch& /*batch*/) const
{
    return fail(ErrorCode::InvalidArgument, kNotPlaced);
}

void Head::secondDerivatives(kernels::ThreadPool& /*pool*/, const HeadBatch& /*batch*/,
                             kernels::MatrixView second) const
{
    for (std::int64_t row = 0; row < second.rows; ++row) {
        std::ranges::fill(second.row(row), 0.0F);
    }
}

std::unique_ptr<metrics::MetricSet> Head::createMetrics() const
{
    auto set = std::make_unique<metrics::MetricSet>();
    set->add("loss", metrics::makeMetric(metrics::MetricKind::Mean), kBatchLossSeries);
    addMetrics(*set, kFirstHeadSeries);
    return set;
}

std::unique_ptr<metrics::MetricSet> Head::createEvaluationMetrics() const
{
    // In evaluations only: a baseline reads all rows, and a training's batch is too small for one.
    std::unique_ptr<metrics::MetricSet> set = createMetrics();
    addBaselines(*set, kFirstHeadSeries);
    return set;
}

Result<std::unique_ptr<metrics::MetricSet>>
Head::createEvaluationMetrics(std::span<const spec::Metric> chosen) const
{
    std::unique_ptr<metrics::MetricSet> set = createEvaluationMetrics();
    for (const spec::Metric& metric : chosen) {
        const std::optional<MeasuredSeries> found = measured(metric.head(), kFirstHeadSeries);
        const std::string name = spec::metricName(metric);
        if (!found || metric.kind_case() == spec::Metric::KIND_NOT_SET) {
            return fail(ErrorCode::InvalidArgument, kNotMeasured, name, metric.head());
        }
        // Checked again here, since frozen experiments of runs are not validated again.
        if (std::optional<Error> misfit =
                spec::metricMisfit(metric, found->subject.labels,
                                   static_cast<std::int64_t>(found->subject.classes.size()))) {
            return tl::make_unexpected(*std::move(misfit));
        }
        set->add(name, metrics::makeChosenMetric(metric, found->subject), found->series);
    }
    return set;
}

double Head::evaluate(kernels::ThreadPool& pool, const HeadBatch& batch,
                      metrics::MetricSet& metrics, double penalty)
{
    const double loss = updateMetrics(pool, batch, metrics, kFirstHeadSeries) + penalty;
    // TensorFlow's mean over batches weights a short last batch like a full one.
    const float value = static_cast<float>(loss);
    metrics.update(kBatchLossSeries, {.predictions = {&value, 1}});
    return loss;
}

} // namespace cannery::heads
