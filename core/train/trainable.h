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

/// What a session needs of a model, whatever it is made of. One thread of control at a time.
class Trainable
{
public:
    virtual ~Trainable() = default;

    /// One step on labelled rows; `globalStep` is the step before. The loss before the update.
    virtual double train(const features::EncodedRows& batch, std::int64_t globalStep) = 0;
    /// Everything a checkpoint holds but global_step, sorted by name.
    virtual std::vector<plan::StateTensor> state() = 0;
    /// Of the last step, in TensorFlow's order, `loss` among them.
    virtual std::vector<plan::ModelSummary> summaries() = 0;

    /// Whether the next train() measures its gradients; what it found, before clipping. Nothing for
    /// what has no gradients.
    virtual void wantGradientNorm(bool) {}
    virtual std::optional<double> gradientNorm() const { return std::nullopt; }
    /// Feeds the outcome of the last train(), which was on this batch, to metrics that
    /// takeJudgement() reads and empties; none for what has no such metrics.
    virtual void judge(const features::EncodedRows&) {}
    virtual std::vector<metrics::MetricValue> takeJudgement() { return {}; }

    /// Between the two, every batch goes into the metrics; training goes on undisturbed later.
    virtual void beginEvaluation() = 0;
    virtual void evaluate(const features::EncodedRows& batch) = 0;
    virtual std::vector<metrics::MetricValue> endEvaluation() = 0;

    virtual void predict(const features::EncodedRows& batch,
                         std::vector<heads::Prediction>& predictions) = 0;
};

/// A compiled LayerGraph as a Trainable.
class ModelTrainable : public Trainable
{
public:
    explicit ModelTrainable(std::unique_ptr<plan::Model> model);

    double train(const features::EncodedRows& batch, std::int64_t globalStep) override;
    std::vector<plan::StateTensor> state() override;
    std::vector<plan::ModelSummary> summaries() override;
    void wantGradientNorm(bool wanted) override;
    std::optional<double> gradientNorm() const override;
    void judge(const features::EncodedRows& batch) override;
    std::vector<metrics::MetricValue> takeJudgement() override;
    void beginEvaluation() override;
    void evaluate(const features::EncodedRows& batch) override;
    std::vector<metrics::MetricValue> endEvaluation() override;
    void predict(const features::EncodedRows& batch,
                 std::vector<heads::Prediction>& predictions) override;

    plan::Model& model() { return *m_model; }

private:
    std::unique_ptr<plan::Model> m_model;
    std::unique_ptr<metrics::MetricSet> m_metrics;
    std::unique_ptr<metrics::MetricSet> m_judgement;
};

} // namespace cannery::train
