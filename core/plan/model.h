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

class DeviceTraining;
class GradientExchange;
class Inference;
class LastStep;
class Learner;
class ParameterExchange;
class StepTrace;

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
    /// The same without updating anything: gradients stay in LastStep::gradient(). For tests
    /// and inspection.
    double computeGradients(const features::EncodedRows& batch, std::int64_t globalStep);

    /// What accelerators do of the training; null: the CPU trains, or a learner.
    DeviceTraining* device();
    /// What learns instead of layers and optimizers; null: nothing does.
    Learner* learner();

    /// Takes part in the step of the other processes, which is then applied by none of them:
    /// training ends everywhere after the same step, or with accelerators, after the same ones.
    /// Positive; the sum of all votes is LastStep::votes().
    Result<void> voteAgainstStep(float vote);
    /// What can be asked about the last train().
    LastStep& lastStep();

    /// Where steps add what takes their time, from now on; null: nowhere, which costs nothing. It
    /// must outlive the steps, and changes none of their results.
    void trace(StepTrace* trace);

    /// Forward passes: predictions and evaluations.
    Inference& inference();

    /// Everything a checkpoint holds except global_step, sorted by name. Without training: what
    /// inference reads of one, which are the moving averages of weights that have them.
    std::vector<StateTensor> state();
    /// Moving averages begin at the present weights: after these were set.
    void startAverages();
    /// Exchanges the weights and their moving averages, if there are any; to be called again before
    /// the next step or save.
    void swapAverages();
    /// Weights become their moving averages if an optimizer has ema_momentum: once, after the last
    /// step of the training. False: there are none.
    bool takeAverages();
    /// A sentence if the model has learned all that it will (plan::OwnStep).
    std::optional<std::string> trainingEnd() const;

    const graph::LayerGraph& graph() const;
    heads::Head& head();
    kernels::ThreadPool& threadPool();

private:
    struct Parts;
    explicit Model(std::unique_ptr<Parts> parts);
    std::unique_ptr<Parts> m_parts;
};

} // namespace cannery::plan
