// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/lent_threads.h"
#include "core/base/result.h"
#include "core/features/encoded_dataset.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/heads/head.h"
#include "core/layers/layer_buffers.h"
#include "core/plan/class_weights.h"
#include "core/plan/sharding.h"
#include "core/plan/state_tensor.h"
#include "kernels/accelerator/accelerator.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cannery::plan {

class DeviceEvaluation;
class ForwardPass;
class GradientExchange;
class Learner;
class OwnStep;
class ParameterExchange;
class StepTrace;

/// Which rows an accelerator evaluates.
struct DeviceEvaluationOptions
{
    kernels::Accelerator& accelerator; ///< that trains, or another one
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32;
    const features::EncodedDataset& rows; ///< outlive the evaluation
    std::int64_t batchRows = 1;           ///< of a batch, at most
};

struct ModelOptions
{
    std::int64_t maxBatchSize = 32; ///< larger batches are accepted too; the first one allocates
    int threads = 1;                ///< including the caller
    /// Replaces the model's own pool; must outlive the model, which uses it exclusively during a
    /// call.
    kernels::ThreadPool* pool = nullptr;
    std::uint64_t seed = 0; ///< of initial values and dropout
    bool training = true;   ///< false: no gradients, no optimizers, no slots
    Sharding sharding;      ///< of training steps
    /// Adds up gradients with other processes; must outlive the model. Null: there are none.
    GradientExchange* exchange = nullptr;
    /// Keeps the variables elsewhere; must outlive the model. Null: the model has them itself.
    ParameterExchange* parameters = nullptr;
    /// Of a head with one class id per label; in training steps.
    std::vector<ClassWeight> classWeights;
    /// Trains; must outlive the model. Null: the CPU.
    kernels::Accelerator* accelerator = nullptr;
    /// Those of the second shard of this process and the others, if it has several; they must
    /// outlive the model. All of a step are a group: formed by formGroup(), or with an exchange by
    /// meetProcesses().
    std::vector<kernels::Accelerator*> peers = {};
    kernels::ProductPrecision precision = kernels::ProductPrecision::Float32; ///< there
    std::filesystem::path folder; ///< initial checkpoints of embeddings are relative to it
};

/// A summary as TensorFlow's estimators write it during training.
struct ModelSummary
{
    std::string tag;
    bool histogram = false;
    float scalar = 0.0F;
    std::vector<float> values; ///< of a histogram
};

/// What the processes of a cluster add up in a step.
struct GradientSizes
{
    struct Table
    {
        std::int64_t rows = 0; ///< that have a gradient
        std::int64_t cols = 0;
        std::int64_t tableRows = 0;
    };
    std::int64_t dense = 0; ///< floats
    std::vector<Table> sparse;
    std::int64_t gathers = 0;  ///< of layers that look across shards, which wait for them
    std::int64_t gathered = 0; ///< doubles of one process in all of them
};

/// A LoweredModel ready to run: buffers laid out, kernels chosen, initial values drawn. Creating it
/// may fail, a step on the CPU may not. Steps allocate nothing once a batch was as large, and give
/// the same bits for any number of threads; denormal numbers are treated as zero, as in TensorFlow.
/// One controlling thread at a time.
class Model
{
public:
    /// Errors: of makeHead and makeOptimizer, "plan.…" ("plan.learns_alone": the estimator's step
    /// cannot be shared), those of reading an initial checkpoint, and of plan::DeviceStep.
    static Result<std::unique_ptr<Model>> create(graph::LoweredModel lowered,
                                                 const ModelOptions& options);
    ~Model();
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;

    /// One training step on labelled rows, a batch for each shard of this process: forward,
    /// backward, every optimizer once. `globalStep` is the step before. Returns the loss before the
    /// update, the mean over the batches, which may be NaN or infinite; nothing if another process
    /// has voted against the step. Errors: of the exchange, of the accelerator. Without a loss
    /// nothing is updated, and the step may be repeated.
    Result<std::optional<double>> train(std::span<const features::EncodedRows> batches,
                                        std::int64_t globalStep);
    /// The same for a model with one shard and optimizers, which cannot fail.
    double train(const features::EncodedRows& batch, std::int64_t globalStep);
    /// The same without updating anything: gradients stay in gradient(). For tests and inspection.
    double computeGradients(const features::EncodedRows& batch, std::int64_t globalStep);

    /// With an accelerator, steps need not be waited for one by one. Their batches are rows of this
    /// table, which outlives the steps; it goes up if there is memory left. These threads help to
    /// gather batches if not. Does nothing without an accelerator. Errors: of reading the rows, of
    /// the accelerator.
    Result<void> setTable(const features::EncodedDataset& rows, RunBlocks runBlocks);
    /// Of the accelerator's memory; 0: the rows are not there.
    std::int64_t tableBytes() const;
    /// With an accelerator and an exchange: before setTable(), all processes meet, once; see
    /// DeviceProcesses::meet(). Otherwise does nothing.
    Result<void> meetProcesses(const std::function<Result<kernels::GroupId>()>& makeId);
    /// With an accelerator: how many steps all processes queue next, as many as the one that wants
    /// fewest; 0 if one has voted against them. They measure and trace what one of them wants by
    /// now. Alone, as many as are wanted. Errors: see DeviceProcesses::agree().
    Result<std::int64_t> agreeOnSteps(std::int64_t wanted);
    /// How many steps may be queued; 0 unless there are an accelerator and a table.
    std::int64_t mostQueued() const;
    /// As train() of these rows, those of each shard, but the loss comes with finish(), before
    /// which nothing else may be called.
    Result<void> queue(std::span<const std::vector<std::int64_t>> rows, std::int64_t globalStep);
    /// The same for a model with one shard.
    Result<void> queue(const std::vector<std::int64_t>& rows, std::int64_t globalStep);
    /// Waits for the queued steps; their losses, until the next queue(). Errors: of the
    /// accelerator; then nothing is known of any of these steps.
    Result<std::span<const double>> finish();

    /// Whether the last train() was a step; otherwise it only prepared the next ones, and the
    /// global step stays. Only a learner's may not be.
    bool advanced() const;
    /// What learns instead of layers and optimizers; null: nothing does.
    Learner* learner();

    /// Takes part in the step of the other processes, which is then applied by none of them:
    /// training ends everywhere after the same step, or with accelerators, after the same ones.
    /// Positive; the sum of all votes is votes().
    Result<void> voteAgainstStep(float vote);
    float votes() const;

    /// Whether the next train() measures its gradients, before they are clipped.
    void wantGradientNorm(bool wanted);
    /// The L2 norm of all gradients of the last train() together; nothing if not requested.
    std::optional<double> gradientNorm() const;

    /// Where steps add what takes their time, from now on; null: nowhere, which costs nothing. It
    /// must outlive the steps, and changes none of their results.
    void trace(StepTrace* trace);

    /// Feeds the results of the last train() for this batch to the metrics (made by
    /// head().createMetrics()), without a second forward pass. Does not affect training.
    void addToMetrics(const features::EncodedRows& batch, metrics::MetricSet& metrics);

    /// Fills logits().
    void forward(const features::EncodedRows& batch, layers::Mode mode);
    /// Of the last forward or train: [rows, head().logitsWidth()], of each row or of each step.
    kernels::ConstMatrixView logits() const;

    /// Feeds labelled rows to the metrics (made by head().createMetrics()); returns their loss.
    double evaluate(const features::EncodedRows& batch, metrics::MetricSet& metrics);
    void predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions);
    /// From now on forward passes also give what each input has contributed to a prediction.
    /// Errors: "plan.cannot_explain".
    Result<void> explainPredictions();
    /// For predictions on a separate thread, in batches of about this many rows. Errors: none that
    /// create() did not have.
    Result<std::unique_ptr<ForwardPass>> createForwardPass(std::int64_t maxRows);

    /// Evaluations of these rows on an accelerator, which the model must outlive. It must not train
    /// while batches are queued. Errors: "plan.not_evaluated_on_gpu", those of DeviceEvaluation.
    Result<std::unique_ptr<DeviceEvaluation>>
    createDeviceEvaluation(const DeviceEvaluationOptions& options);

    /// What an accelerator has changed comes to the host, as every call that reads it sees to
    /// itself, but without telling what went wrong. Errors: of the accelerator.
    Result<void> bringState();
    /// Everything a checkpoint holds except global_step, sorted by name. Without training: what
    /// inference reads of one, which are the moving averages of weights that have them.
    std::vector<StateTensor> state();
    /// Moving averages begin at the present weights: after these were set.
    void startAverages();
    /// Exchanges the weights and their moving averages, if there are any; to be called again before
    /// the next step or save.
    void swapAverages();
    /// A sentence if the model has learned all that it will (plan::OwnStep).
    std::optional<std::string> trainingEnd() const;
    /// The summaries of the last train() besides the loss, in TensorFlow's order.
    std::vector<ModelSummary> summaries();
    /// The last gradient of a trainable variable, always dense; empty for others.
    std::vector<float> gradient(const std::string& variable) const;

    /// Of the last train().
    GradientSizes gradientSizes() const;

    const graph::LayerGraph& graph() const;
    heads::Head& head();
    kernels::ThreadPool& threadPool();

private:
    friend class ForwardPass;
    struct Parts;
    explicit Model(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::plan
