// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/heads/prediction.h"
#include "core/metrics/metric_set.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/last_step.h"
#include "core/plan/model.h"
#include "core/train/evaluation/device_evaluations.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::train {

/// A compiled model with the metrics fed alongside it: what the training loop, the evaluator and
/// the predictor work on. One controlling thread at a time.
class TrainableModel
{
public:
    explicit TrainableModel(std::unique_ptr<plan::Model> model);

    /// One step on labelled rows, see plan::Model; returns the loss before the update.
    Result<std::optional<double>> train(std::span<const features::EncodedRows> batches,
                                        std::int64_t globalStep);
    /// Everything a checkpoint holds except global_step, sorted by name.
    std::vector<plan::StateTensor> state();
    /// Of the last step, in TensorFlow's order, including `loss`.
    std::vector<plan::ModelSummary> summaries();

    /// Whether the last train() was a step, see plan::LastStep.
    bool advanced() const { return m_model->lastStep().advanced(); }
    /// Of a learner, see plan::Learner.
    bool readsTable() const;
    /// What a learner reads, and an accelerator gathers batches from, see plan::DeviceTraining.
    Result<void> setTable(const features::EncodedDataset& rows, const RunBlocks& runBlocks);

    /// Whether the next train() measures its gradients; and the measured norm, before clipping.
    /// Nothing if there are no gradients.
    void wantGradientNorm(bool wanted);
    std::optional<double> gradientNorm() const;
    /// Feeds the outcome of the last train(), whose first batch this was, to metrics that
    /// takeBatchMetrics() reads and resets.
    void addToMetrics(const features::EncodedRows& batch);
    std::vector<metrics::MetricValue> takeBatchMetrics();

    /// From here on, every batch is fed to the metrics of the head and to these of an eval_spec;
    /// the training state is unaffected. Errors: of heads::Head.
    Result<void> beginEvaluation(std::span<const spec::Metric> chosen);
    void evaluate(const features::EncodedRows& batch);
    /// The same for a batch whose pass was computed elsewhere.
    void evaluate(const plan::EvaluatedBatch& batch);
    /// Of all batches since it began.
    std::vector<metrics::MetricValue> evaluationResults() const;
    std::vector<metrics::MetricTable> evaluationTables() const;

    /// Evaluations on an accelerator, if they run on one.
    DeviceEvaluations& deviceEvaluations() { return m_deviceEvaluations; }

    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);
    /// See plan::Inference.
    Result<void> explainPredictions();

    plan::Model& model() { return *m_model; }

private:
    std::unique_ptr<plan::Model> m_model;
    std::unique_ptr<metrics::MetricSet> m_metrics;
    std::unique_ptr<metrics::MetricSet> m_batchMetrics;
    DeviceEvaluations m_deviceEvaluations;
};

} // namespace cannery::train
