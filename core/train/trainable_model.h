// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/heads/prediction.h"
#include "core/metrics/metric_set.h"
#include "core/plan/device/device_evaluation.h"
#include "core/plan/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
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

    /// Whether the last train() was a step, see plan::Model.
    bool advanced() const { return m_model->advanced(); }
    /// Of a learner, see plan::Learner.
    bool readsTable() const;
    /// What a learner reads, and an accelerator gathers batches from, see plan::Model.
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

    /// Evaluations run there from now on, as long as it can; it outlives the model.
    void evaluateOn(kernels::Accelerator& accelerator, kernels::ProductPrecision precision);
    /// Ready for an evaluation of these rows, until the next call; the CPU evaluates if null. It
    /// stays for the next one of the same rows. Errors: of reading the rows, of the accelerator.
    Result<plan::DeviceEvaluation*> deviceEvaluation(const features::EncodedDataset& rows,
                                                     std::int64_t batchRows);
    /// Frees what it has there; before the rows are gone.
    void forgetEvaluatedRows();
    /// Whether an accelerator's refusal leaves evaluations to the CPU: it has no memory left, or
    /// does not compute this model. From then on the CPU evaluates.
    bool leavesEvaluationToCpu(const Error& refusal);
    /// Where evaluations run, and why not on the accelerator; empty if nothing has changed.
    std::string takeEvaluationNote() { return std::exchange(m_evaluationNote, {}); }

    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);

    plan::Model& model() { return *m_model; }

private:
    std::unique_ptr<plan::Model> m_model;
    std::unique_ptr<metrics::MetricSet> m_metrics;
    std::unique_ptr<metrics::MetricSet> m_batchMetrics;
    kernels::Accelerator* m_accelerator = nullptr; ///< the CPU evaluates if null
    kernels::ProductPrecision m_precision = kernels::ProductPrecision::Float32;
    std::unique_ptr<plan::DeviceEvaluation> m_deviceEvaluation; ///< of the last rows; or null
    const features::EncodedDataset* m_evaluatedRows = nullptr;  ///< its own
    std::int64_t m_evaluatedAtOnce = 0;                         ///< rows of its batches
    std::string m_evaluationNote;
};

} // namespace cannery::train
