// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/device/device_step.h"
#include "core/plan/device/own_step.h"
#include "core/plan/lane.h"
#include "core/plan/learners/learner.h"
#include "core/plan/lockstep.h"
#include "core/plan/model.h"
#include "core/plan/network.h"
#include "core/plan/parameter_exchange.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/variables.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace cannery::plan {

/// The parts of a Model.
struct Model::Parts
{
    Parts(graph::LoweredModel model, const ModelOptions& modelOptions)
        : lowered(std::move(model)), options(modelOptions),
          ownPool(options.pool == nullptr ? std::make_unique<kernels::ThreadPool>(options.threads)
                                          : nullptr),
          pool(ownPool ? *ownPool : *options.pool),
          workers(static_cast<std::size_t>(std::max(options.threads, pool.threadCount())))
    {}

    Network& network() { return lanes.front()->network(); }
    heads::Head& head() { return lanes.front()->head(); }
    StepTrace* trace() { return network().trace(); }
    /// As many lanes as the shards and threads make useful, or one per shard in lockstep.
    Result<void> makeLanes();
    Result<void> makeLearner();
    /// With ModelOptions::accelerator.
    Result<void> makeDevice();
    /// Of an estimator's own step; null: there is none, or only the CPU takes it.
    PlacedOwnStep* placedStep() const
    {
        return ownStep == nullptr ? nullptr : ownStep->onAccelerator();
    }
    bool mustStart() const { return placedStep() != nullptr && !placedStep()->hasStarted(); }
    Result<void> startOnHost(const features::EncodedRows& batch, std::int64_t globalStep);
    void takeLosses(std::span<const double> losses);
    /// Whether steps there measure their gradients, if there are any.
    bool measures() const { return wantsGradientNorm && ownStep == nullptr; }
    /// Nothing: another process has voted against it.
    Result<std::optional<double>> stepOnDevice(std::span<const features::EncodedRows> batches,
                                               std::int64_t globalStep, DeviceStepKind kind);
    Result<std::int64_t> agree(std::int64_t wanted, float vote);
    /// Before something is read or computed here that a step on the accelerator has changed.
    void comeBack();
    /// The same before the state may be written here.
    void lendState();
    void bringValue(graph::ValueId value);
    /// Lays everything out for batches of at most this many rows.
    void prepare(std::int64_t maxRows);
    void makeRoomFor(std::int64_t batchRows);
    /// Binds a batch to the first lane; lays out larger buffers if necessary.
    void begin(const features::EncodedRows& batch);
    /// Forward and backward over this process's shards; their sum is in network(), and begun to be
    /// exchanged, if there is an exchange. Errors: in lockstep, of the exchange.
    Result<void> runShards(std::span<const features::EncodedRows> batches, std::int64_t globalStep);
    Result<void> runLanes(const ShardStep& step, LaneThreads all);
    /// Begins all packs of what network() has.
    void beginPacks();
    Result<void> finishExchange();
    /// After runShards() and the exchange: the loss of the whole step.
    double lossOfStep();
    /// Applies what the shards of a step have left in network().
    void update(std::int64_t globalStep);
    /// With an estimator's own step.
    OwnStepContext ownContext(std::int64_t globalStep);
    Result<double> trainOwnWay(const features::EncodedRows& batch, std::int64_t globalStep);
    void layOutExchange();
    void findRows(std::span<const features::EncodedRows> batches);
    void changeStatistics();
    /// With ModelOptions::parameters.
    Result<std::optional<double>> trainRemotely(std::span<const features::EncodedRows> batches,
                                                std::int64_t globalStep);
    /// With a learner. Never nothing.
    Result<std::optional<double>> trainLearner(std::span<const features::EncodedRows> batches,
                                               std::int64_t globalStep);
    /// If they are of steps; `network` has made the logits.
    void groupBySteps(const Network& network, std::vector<heads::Prediction>& predictions) const;
    /// Room for the learner's logits of the batch.
    kernels::MatrixView learnerLogits(std::int64_t rowsOfBatch);
    /// After a backward pass, before an optimizer clips.
    void measureGradient();
    layers::StepContext context(layers::Mode mode, std::int64_t step);
    std::int64_t zerosOf(graph::VariableId variable);
    float zeroFraction(const graph::Summary& wanted);

    /// The optimizer of a variable, and the variable's index in it.
    struct Trainer
    {
        PartOptimizer* optimizer = nullptr;
        std::size_t index = 0;
    };

    graph::LoweredModel lowered;
    ModelOptions options;
    std::unique_ptr<kernels::ThreadPool> ownPool; ///< unless one is lent
    kernels::ThreadPool& pool;
    std::vector<layers::Worker> workers; ///< one per thread
    Variables variables;
    std::unique_ptr<OwnStep> ownStep; ///< or null
    std::vector<std::unique_ptr<PartOptimizer>> optimizers;
    std::vector<Trainer> trainers;            ///< by variable
    std::vector<std::unique_ptr<Lane>> lanes; ///< the first serves everything but training, too
    std::unique_ptr<DeviceStep> device;       ///< null: the CPU trains
    std::int64_t shardsOfLane = 1;            ///< of each, but the last one may have fewer
    std::optional<Lockstep> lockstep;         ///< of the lanes, if a layer looks across shards
    std::vector<Pack> packs;                  ///< for the exchange
    std::vector<ExchangedVariable> exchanged; ///< with ModelOptions::parameters
    std::vector<std::pair<ExchangedVariable*, std::int32_t>> lookups; ///< and blocks of ids
    std::unique_ptr<Learner> learner; ///< null: layers and optimizers do everything
    std::vector<float> learned;       ///< its logits
    bool explains = false;            ///< predictions come with contributions
    bool advanced = true;             ///< whether its last step was one
    std::int64_t rows = 0;            ///< of the last batch; in training, of the first
    float votes = 0;                  ///< against the last step of all processes
    bool wantsGradientNorm = false;
    std::optional<double> gradientNorm;
};

} // namespace cannery::plan
