// SPDX-License-Identifier: Apache-2.0
#include "core/plan/inference.h"

#include "core/plan/device/device_evaluation.h"
#include "core/plan/forward_pass.h"
#include "core/plan/lane_group.h"
#include "core/plan/learners/learner.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>
#include <cstddef>
#include <string>

namespace cannery::plan {

namespace {

constexpr ErrorKind kCannotExplain{"plan.cannot_explain",
                                   "This model cannot explain its predictions. {}"};
constexpr ErrorKind kTreesNotEvaluated{"plan.not_evaluated_on_gpu",
                                       "A GPU does not evaluate trees."};

} // namespace

kernels::MatrixView LearnerLogits::of(std::int64_t rows, std::int64_t width)
{
    m_values.resize(std::max(m_values.size(), static_cast<std::size_t>(rows * width)));
    return kernels::matrixView(std::span(m_values), rows, width);
}

void Inference::forward(const features::EncodedRows& batch, layers::Mode mode)
{
    const kernels::FlushDenormals flush;
    // What is read must be the newest, and values of the device's last batch count no longer.
    if (m_parts.device != nullptr) {
        static_cast<void>(m_parts.device->bringState()); // its error is kept for the next step
        m_parts.device->forgetValues();
    }
    LaneGroup& lanes = m_parts.lanes;
    lanes.begin(batch);
    lanes.network().forward(lanes.context(mode));
    if (m_parts.learner != nullptr) {
        m_parts.learner->forward(
            batch, m_parts.learned.of(batch.rowCount, lanes.head().logitsWidth()), &m_parts.pool);
    }
}

kernels::ConstMatrixView Inference::logits() const
{
    LaneGroup& lanes = m_parts.lanes;
    if (m_parts.learner != nullptr) {
        return m_parts.learned.of(lanes.rows(), lanes.head().logitsWidth());
    }
    const graph::ValueId logits = m_parts.lowered.graph.logits;
    if (m_parts.device != nullptr && logits >= 0) {
        static_cast<void>(m_parts.device->bringValue(logits, lanes.rows()));
    }
    return lanes.network().valuesOf(logits, lanes.rows());
}

double Inference::evaluate(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Evaluate);
    heads::Head& head = m_parts.lanes.head();
    return head.evaluate(m_parts.pool, headBatch(batch, head, logits()), metrics,
                         m_parts.lanes.inferencePenalty());
}

double Inference::weightPenalty()
{
    return m_parts.lanes.penalties().total(m_parts.pool);
}

void Inference::addToMetrics(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    if (m_parts.hasOwnStep) {
        forward(batch, layers::Mode::Evaluate);
    }
    heads::Head& head = m_parts.lanes.head();
    head.evaluate(m_parts.pool, headBatch(batch, head, logits()), metrics,
                  m_parts.lanes.stepPenalty());
}

void Inference::predict(const features::EncodedRows& batch,
                        std::vector<heads::Prediction>& predictions)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Predict);
    LaneGroup& lanes = m_parts.lanes;
    lanes.head().predict(m_parts.pool, logits(), batch.rowCount, predictions);
    groupBySteps(m_parts.lowered, lanes.network(), predictions);
}

Result<void> Inference::explainPredictions()
{
    const std::string reason = m_parts.learner != nullptr
                                   ? m_parts.learner->cannotExplain()
                                   : "Only boosted trees tell contributions of features.";
    if (!reason.empty()) {
        return fail(ErrorCode::InvalidArgument, kCannotExplain, reason);
    }
    m_explains = true;
    return {};
}

Result<std::unique_ptr<ForwardPass>> Inference::createForwardPass(std::int64_t maxRows)
{
    if (m_parts.device != nullptr) {
        CANNERY_TRY(m_parts.device->bringState());
    }
    return ForwardPass::create({.lowered = m_parts.lowered,
                                .variables = m_parts.variables,
                                .head = m_parts.lanes.head(),
                                .learner = m_parts.learner,
                                .explains = m_explains},
                               maxRows);
}

Result<std::unique_ptr<DeviceEvaluation>>
Inference::createDeviceEvaluation(const DeviceEvaluationOptions& options)
{
    if (m_parts.learner != nullptr) {
        return fail(ErrorCode::Unimplemented, kTreesNotEvaluated);
    }
    DeviceStep* const training = m_parts.device;
    const bool isThere = training != nullptr && m_parts.accelerator == &options.accelerator;
    return DeviceEvaluation::create({.lowered = m_parts.lowered,
                                     .variables = m_parts.variables,
                                     .head = m_parts.lanes.head(),
                                     .training = training,
                                     .isThere = isThere},
                                    {.accelerator = options.accelerator,
                                     .precision = options.precision,
                                     .rows = options.rows,
                                     .batchRows = options.batchRows,
                                     .runBlocks = kernels::lend(m_parts.pool).run});
}

} // namespace cannery::plan
