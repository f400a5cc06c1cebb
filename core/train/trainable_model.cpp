// SPDX-License-Identifier: Apache-2.0
#include "core/train/trainable_model.h"

#include "core/plan/device/device_training.h"
#include "core/plan/inference.h"
#include "core/plan/lane.h"
#include "core/plan/last_step.h"
#include "core/plan/learners/learner.h"
#include "kernels/device/flush_denormals.h"

namespace cannery::train {

TrainableModel::TrainableModel(std::unique_ptr<plan::Model> model)
    : m_model(std::move(model)), m_deviceEvaluations(*m_model)
{}

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
    std::vector<plan::ModelSummary> all = m_model->lastStep().summaries();
    const std::vector<metrics::MetricValue> losses = m_model->head().lossSummaries();
    for (std::size_t i = 0; i < losses.size(); ++i) {
        // The last one is the whole loss; those before it are of the heads of a multi_head.
        const double penalty = i + 1 == losses.size() ? m_model->lastStep().penalty() : 0.0;
        all.push_back(
            {.tag = losses[i].name, .scalar = static_cast<float>(losses[i].value + penalty)});
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
    if (readsTable()) {
        return m_model->learner()->setTable(rows, m_model->threadPool());
    }
    plan::DeviceTraining* const device = m_model->device();
    return device == nullptr ? Result<void>() : device->setTable(rows, runBlocks);
}

void TrainableModel::wantGradientNorm(bool wanted)
{
    m_model->lastStep().wantGradientNorm(wanted);
}

std::optional<double> TrainableModel::gradientNorm() const
{
    return m_model->lastStep().gradientNorm();
}

void TrainableModel::addToMetrics(const features::EncodedRows& batch)
{
    // Made by the first batch: most trainings never ask for them.
    if (m_batchMetrics == nullptr) {
        m_batchMetrics = m_model->head().createMetrics();
    }
    m_model->inference().addToMetrics(batch, *m_batchMetrics);
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
    m_model->inference().evaluate(batch, *m_metrics);
}

void TrainableModel::evaluate(const plan::EvaluatedBatch& batch)
{
    // Logits computed on a device are treated as the CPU's own, which flushes denormals.
    const kernels::FlushDenormals flush;
    heads::Head& head = m_model->head();
    // Penalties of outputs are never left out: their layers are on no device.
    head.evaluate(m_model->threadPool(), plan::headBatch(batch.labelled, head, batch.logits),
                  *m_metrics, m_model->inference().weightPenalty());
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
    m_model->inference().predict(batch, predictions);
}

Result<void> TrainableModel::explainPredictions()
{
    return m_model->inference().explainPredictions();
}

} // namespace cannery::train
