// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/heads/prediction.h"
#include "core/metrics/metric_set.h"
#include "core/plan/model.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace cannery::train {

/// A compiled model with the metrics that are fed beside it: what the training loop, the evaluator
/// and the predictor work on. One thread of control at a time.
class TrainableModel
{
public:
    explicit TrainableModel(std::unique_ptr<plan::Model> model);

    /// One step on labelled rows; `globalStep` is the step before. The loss before the update.
    double train(const features::EncodedRows& batch, std::int64_t globalStep);
    /// Everything a checkpoint holds but global_step, sorted by name.
    std::vector<plan::StateTensor> state();
    /// Of the last step, in TensorFlow's order, `loss` among them.
    std::vector<plan::ModelSummary> summaries();

    /// Whether the next train() measures its gradients; what it found, before clipping. Nothing for
    /// what has no gradients.
    void wantGradientNorm(bool wanted);
    std::optional<double> gradientNorm() const;
    /// Feeds the outcome of the last train(), which was on this batch, to metrics that
    /// takeJudgement() reads and empties.
    void judge(const features::EncodedRows& batch);
    std::vector<metrics::MetricValue> takeJudgement();

    /// Between the two, every batch goes into the metrics; training goes on undisturbed later.
    void beginEvaluation();
    void evaluate(const features::EncodedRows& batch);
    std::vector<metrics::MetricValue> endEvaluation();

    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);

    plan::Model& model() { return *m_model; }

private:
    std::unique_ptr<plan::Model> m_model;
    std::unique_ptr<metrics::MetricSet> m_metrics;
    std::unique_ptr<metrics::MetricSet> m_judgement;
};

} // namespace cannery::train
