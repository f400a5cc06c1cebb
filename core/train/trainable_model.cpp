// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainable_model.h"

#include "core/plan/lane.h"
#include "core/plan/learners/learner.h"
#include "kernels/accelerator/errors.h"
#include "kernels/device/flush_denormals.h"

namespace cannery::train {

namespace {

constexpr const char* kRowsAreThere = "Evaluations run on the GPU, which has their rows.";
constexpr const char* kRowsAreBroughtThere =
    "Evaluations run on the GPU; their rows do not fit into its memory, and batches are brought "
    "there while it computes.";

} // namespace

TrainableModel::TrainableModel(std::unique_ptr<plan::Model> model) : m_model(std::move(model)) {}

Result<std::optional<double>> TrainableModel::train(std::span<const features::EncodedRows> batches,
                                                    std::int64_t globalStep)
{
    return m_model->train(batches, globalStep);
}

std::vector<plan::StateTensor> TrainableModel::state()
{
    return m_model->state();
}

std::vector<plan::ModelSummary> TrainableModel::summaries()
{
    std::vector<plan::ModelSummary> all = m_model->summaries();
    for (const metrics::MetricValue& loss : m_model->head().lossSummaries()) {
        all.push_back({.tag = loss.name, .scalar = static_cast<float>(loss.value)});
    }
    return all;
}

bool TrainableModel::readsTable() const
{
    const plan::Learner* learner = m_model->learner();
    return learner != nullptr && learner->readsTable();
}

Result<void> TrainableModel::setTable(const features::EncodedDataset& rows,
                                      const RunBlocks& runBlocks)
{
    // A learner of trees reads the whole table at once, and layers take batches of it.
    return readsTable() ? m_model->learner()->setTable(rows, m_model->threadPool())
                        : m_model->setTable(rows, runBlocks);
}

void TrainableModel::wantGradientNorm(bool wanted)
{
    m_model->wantGradientNorm(wanted);
}

std::optional<double> TrainableModel::gradientNorm() const
{
    return m_model->gradientNorm();
}

void TrainableModel::addToMetrics(const features::EncodedRows& batch)
{
    // Made by the first batch: most trainings never ask for them.
    if (m_batchMetrics == nullptr) {
        m_batchMetrics = m_model->head().createMetrics();
    }
    m_model->addToMetrics(batch, *m_batchMetrics);
}

std::vector<metrics::MetricValue> TrainableModel::takeBatchMetrics()
{
    if (m_batchMetrics == nullptr) {
        return {};
    }
    std::vector<metrics::MetricValue> values = m_batchMetrics->results();
    m_batchMetrics->reset();
    return values;
}

Result<void> TrainableModel::beginEvaluation(std::span<const spec::Metric> chosen)
{
    // New ones for each evaluation, as its metrics are chosen by its request.
    CANNERY_TRY_ASSIGN(m_metrics, m_model->head().createEvaluationMetrics(chosen));
    return {};
}

void TrainableModel::evaluate(const features::EncodedRows& batch)
{
    m_model->evaluate(batch, *m_metrics);
}

void TrainableModel::evaluate(const plan::EvaluatedBatch& batch)
{
    // Logits computed on a device are treated as the CPU's own, which flushes denormals.
    const kernels::FlushDenormals flush;
    heads::Head& head = m_model->head();
    head.evaluate(m_model->threadPool(), plan::headBatch(batch.labelled, head, batch.logits),
                  *m_metrics);
}

void TrainableModel::evaluateOn(kernels::Accelerator& accelerator,
                                kernels::ProductPrecision precision)
{
    m_accelerator = &accelerator;
    m_precision = precision;
}

Result<plan::DeviceEvaluation*>
TrainableModel::deviceEvaluation(const features::EncodedDataset& rows, std::int64_t batchRows)
{
    if (m_accelerator == nullptr) {
        return nullptr;
    }
    // The rows on the device are kept between evaluations: copying them there takes longer than
    // using them.
    if (m_evaluatedRows != &rows || m_evaluatedAtOnce != batchRows) {
        // The new table's memory may only be free once the old one is gone.
        forgetEvaluatedRows(); // there may be no memory for two
        auto made = m_model->createDeviceEvaluation({.accelerator = *m_accelerator,
                                                     .precision = m_precision,
                                                     .rows = rows,
                                                     .batchRows = batchRows});
        if (!made && leavesEvaluationToCpu(made.error())) {
            return nullptr;
        }
        CANNERY_TRY_ASSIGN(m_deviceEvaluation, std::move(made));
        m_evaluatedRows = &rows;
        m_evaluatedAtOnce = batchRows;
        m_evaluationNote = m_deviceEvaluation->hasTable() ? kRowsAreThere : kRowsAreBroughtThere;
    }
    CANNERY_TRY(m_deviceEvaluation->begin());
    return m_deviceEvaluation.get();
}

void TrainableModel::forgetEvaluatedRows()
{
    m_deviceEvaluation.reset();
    m_evaluatedRows = nullptr;
}

bool TrainableModel::leavesEvaluationToCpu(const Error& refusal)
{
    // Too little memory or an operation that the device lacks: the CPU can do both. Other errors
    // are the device's own and are reported.
    const bool isLeft =
        refusal.id == kernels::kGpuMemory.id || refusal.code == ErrorCode::Unimplemented;
    if (isLeft) {
        m_accelerator = nullptr;
        // No later evaluation tries again: the refusal would be the same.
        forgetEvaluatedRows();
        m_evaluationNote = "The CPU evaluates: " + refusal.message();
    }
    return isLeft;
}

std::vector<metrics::MetricValue> TrainableModel::evaluationResults() const
{
    return m_metrics->results();
}

std::vector<metrics::MetricTable> TrainableModel::evaluationTables() const
{
    return m_metrics->tables();
}

void TrainableModel::predict(const features::EncodedRows& batch,
                             std::vector<heads::Prediction>& predictions)
{
    m_model->predict(batch, predictions);
}

} // namespace cannery::train
