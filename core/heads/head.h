// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/heads/prediction.h"
#include "core/heads/signature.h"
#include "core/metrics/metric_set.h"
#include "core/metrics/metric_subject.h"
#include "kernels/accelerator/program.h"
#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::spec {
class Metric;
} // namespace cannery::spec

namespace cannery::storage {
class GraphDefBuilder;
}

namespace cannery::heads {

/// A batch as seen by a head. Labels and weights are laid out as in features::EncodedRows. For
/// estimators with return_sequences its rows are the steps of all rows, as TensorFlow's
/// SequentialHeadWrapper flattens them: row by row, without padding.
struct HeadBatch
{
    kernels::ConstMatrixView logits;  ///< [rows, logitsWidth]
    kernels::ConstMatrixView labels;  ///< [rows, labelWidth]: values, a class id, or 0/1 per class
    kernels::ConstMatrixView weights; ///< [rows, weightWidth]; all 1 if its data is null
    /// How often this batch goes into the training step of which it is a part: the gradient of a
    /// loss that is a mean over its batch is divided by it, so that the sum over all batches is a
    /// mean too. As in TensorFlow, batches of rows count alike; those of steps count by their
    /// number.
    double parts = 1.0;
};

/// A batch on an accelerator: the views of a HeadBatch, and what Head::placeLoss() makes of it.
struct PlacedHeadBatch
{
    kernels::ConstMatrixView logits;
    kernels::ConstMatrixView labels;
    kernels::ConstMatrixView weights; ///< all 1 if its data is null
    kernels::MatrixView logitsGrad;   ///< factor * d loss / d logits
    double* loss = nullptr;           ///< Head::lossCount() numbers
    float factor = 1.0F;
    double parts = 1.0;         ///< as HeadBatch::parts
    double* total = nullptr;    ///< of a multi_head, of which this head is a part: factor * loss
    bool addsToTotal = false;   ///< is added to it
    kernels::StepData rowCount; ///< of steps, see losses::PlacedBatch; others are masked
};

/// What the metrics of an eval_spec measure of a head, and the series that has it.
struct MeasuredSeries
{
    metrics::MetricSubject subject;
    int series = 0;
};

/// What tf.estimator calls a head: turns logits into a loss with its gradient, into evaluation
/// metrics, predictions and export signatures, all by TensorFlow's rules and names (estimator-canon
/// 2). One controlling thread at a time; loss() and evaluate() allocate only if a batch is larger
/// than any before, and give the same bits for any number of threads.
class Head
{
public:
    virtual ~Head() = default;

    /// Its `name`, or empty; for a multi_head the names of its heads joined with '_'.
    virtual const std::string& name() const = 0;
    virtual std::int64_t logitsWidth() const = 0;
    /// Floats of label per row.
    virtual std::int64_t labelWidth() const = 0;
    /// Number of weight columns: 0 or 1; for a multi_head the sum over its heads.
    virtual std::int64_t weightWidth() const = 0;

    /// Reserves memory for batches of this many rows.
    virtual void reserve(std::int64_t rows) = 0;

    /// The training loss of the batch. `logitsGrad` ([rows, logitsWidth], or data null: not
    /// computed) = factor * d loss / d logits; the returned loss is without the factor.
    virtual double loss(kernels::ThreadPool& pool, const HeadBatch& batch,
                        kernels::MatrixView logitsGrad, float factor = 1.0F) = 0;
    /// The same as operations of an accelerator. Errors: "head.not_placed".
    virtual Result<void> placeLoss(kernels::AcceleratorProgram& program,
                                   const PlacedHeadBatch& batch) const;
    /// How many losses placeLoss() gives: that of the batch, and of a multi_head then those of its
    /// heads.
    virtual std::int64_t lossCount() const { return 1; }
    /// Makes losses that an accelerator gave those of the last loss().
    virtual void takeLosses(std::span<const double> /*losses*/) {}
    /// The second derivatives of the training loss of the batch: by each logit alone, [rows,
    /// logitsWidth], or each row's Hessian, row by row, [rows, logitsWidth * logitsWidth], as wide
    /// as `second` is. 0 for a head whose logits nothing fits.
    virtual void secondDerivatives(kernels::ThreadPool& pool, const HeadBatch& batch,
                                   kernels::MatrixView second) const;
    /// The scalars that TensorFlow summarizes in training, of the last loss(): "loss",
    /// "loss/<name>" for a named head, one per head of a multi_head.
    virtual std::vector<metrics::MetricValue> lossSummaries() const = 0;

    /// Every metric of TensorFlow's evaluate() except `global_step`, including `loss` (mean over
    /// batches).
    std::unique_ptr<metrics::MetricSet> createMetrics() const;
    /// The same, plus those under cannery/: the result of a guess that ignores the features, and
    /// for regressions the distance of predictions from their labels.
    std::unique_ptr<metrics::MetricSet> createEvaluationMetrics() const;
    /// And those of an eval_spec, which replace others of the same name. Errors:
    /// "head.not_measured" and those of spec::metricMisfit().
    Result<std::unique_ptr<metrics::MetricSet>>
    createEvaluationMetrics(std::span<const spec::Metric> chosen) const;
    /// Feeds a batch to the metrics created by this head; returns its loss, to which `penalty`, of
    /// the model's weights and activities, is added: in the metric `loss`, not in those of the
    /// head's own losses, as TensorFlow does.
    double evaluate(kernels::ThreadPool& pool, const HeadBatch& batch, metrics::MetricSet& metrics,
                    double penalty = 0.0);

    /// Every prediction key, in TensorFlow's order. `rows`: as many as the logits, or those of
    /// which they are the steps. Reuses the memory of `predictions`, which must be empty or come
    /// from a call of this head.
    virtual void predict(kernels::ThreadPool& pool, kernels::ConstMatrixView logits,
                         std::int64_t rows, std::vector<Prediction>& predictions) const = 0;
    /// Whether the training loss is a mean over its batch; otherwise it is a sum.
    virtual bool lossIsMean() const = 0;

    /// Adds the prediction nodes below a scope with TensorFlow's name ("head", or the head's name)
    /// and returns the signatures. `logits` is a float tensor [?, logitsWidth], or [?, ?,
    /// logitsWidth] of padded steps (see emitStepPredictions).
    virtual std::vector<Signature> emit(storage::GraphDefBuilder& graph,
                                        const storage::NodeRef& logits) const = 0;

    /// TensorFlow's scope for optimizer state: "training" in `training/Adagrad/...`, "training_2"
    /// for a multi_head of two heads.
    virtual std::string trainingScope() const { return "training"; }

    // The interface between heads and a multi_head: metrics of a head use `seriesCount` series from
    // `firstSeries` on.
    virtual int seriesCount() const = 0;
    virtual void addMetrics(metrics::MetricSet& metrics, int firstSeries) const = 0;
    virtual void addBaselines(metrics::MetricSet& /*metrics*/, int /*firstSeries*/) const {}
    /// Of the head with that name in a multi_head; otherwise of this one. Nothing if there is none,
    /// or one without labels.
    virtual std::optional<MeasuredSeries> measured(const std::string& /*head*/,
                                                   int /*firstSeries*/) const
    {
        return std::nullopt;
    }
    /// Returns the loss of the batch.
    virtual double updateMetrics(kernels::ThreadPool& pool, const HeadBatch& batch,
                                 metrics::MetricSet& metrics, int firstSeries) = 0;
};

} // namespace cannery::heads
