// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model.h"

#include "core/base/check.h"
#include "core/plan/cells.h"
#include "core/plan/device/device_step.h"
#include "core/plan/device/device_training.h"
#include "core/plan/device/own_step.h"
#include "core/plan/gradient_norm.h"
#include "core/plan/inference.h"
#include "core/plan/lane_group.h"
#include "core/plan/last_step.h"
#include "core/plan/learners/learner_catalog.h"
#include "core/plan/model_size.h"
#include "core/plan/model_state.h"
#include "core/plan/remote_step.h"
#include "core/plan/weights/penalties.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>
#include <utility>

namespace cannery::plan {

namespace {

constexpr ErrorKind kLearnsAlone{
    "plan.learns_alone",
    "This estimator learns in one process, from one batch per step: leave the strategy out, and "
    "train without a cluster."};

constexpr ErrorKind kStepsOfProcesses{
    "plan.steps_of_processes",
    "With return_sequences the loss is a mean over the steps of a batch, which several processes "
    "do not count together. Use mirrored {{}} or one_device {{}}, or remove return_sequences."};

constexpr ErrorKind kRulesOnServers{
    "plan.rules_on_servers",
    "Parameter servers keep no weights with a regularizer or a constraint. Use another strategy, "
    "such as multi_worker_mirrored {{}}, or remove these from the weights of the layers."};

} // namespace

/// What a model is made of. Later members refer to earlier ones.
struct Model::Parts
{
    Parts(graph::LoweredModel model, const ModelOptions& modelOptions)
        : lowered(std::move(model)), options(modelOptions),
          ownPool(options.pool == nullptr ? std::make_unique<kernels::ThreadPool>(options.threads)
                                          : nullptr),
          pool(ownPool ? *ownPool : *options.pool)
    {}

    Result<void> checkAlone() const;
    Result<void> makeVariables();
    Result<void> makeLanes();
    Result<void> makeLearner();
    Result<void> makeDevice();
    void connect();
    Result<std::optional<double>> trainOwnWay(const features::EncodedRows& batch,
                                              std::int64_t globalStep);
    Result<std::optional<double>> trainLearner(std::span<const features::EncodedRows> batches,
                                               std::int64_t globalStep);
    /// Applies what the shards of a step have left in the first lane.
    void update(std::int64_t globalStep);

    graph::LoweredModel lowered;
    ModelOptions options;
    std::unique_ptr<kernels::ThreadPool> ownPool; ///< unless one is lent
    kernels::ThreadPool& pool;
    Variables variables;
    std::unique_ptr<OwnStep> ownStep; ///< or null
    std::vector<std::unique_ptr<PartOptimizer>> optimizers;
    std::unique_ptr<LaneGroup> lanes;
    std::unique_ptr<Learner> learner;   ///< null: layers and optimizers do everything
    std::unique_ptr<DeviceStep> device; ///< null: the CPU trains
    StepRecord record;
    LearnerLogits learned;
    std::optional<DeviceTraining> onDevice;
    std::optional<RemoteStep> remote; ///< with ModelOptions::parameters
    std::optional<Inference> inference;
    std::optional<LastStep> lastStep;
    std::optional<ModelState> state;
};

Model::Model(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
Model::~Model() = default;

Result<std::unique_ptr<Model>> Model::create(graph::LoweredModel lowered,
                                             const ModelOptions& options)
{
    CANNERY_TRY(checkFits(
        lowered,
        {.batchSize = options.maxBatchSize,
         .training = options.training,
         .shards = options.accelerator == nullptr ? options.sharding.count : 1,
         .threads = options.pool != nullptr ? options.pool->threadCount() : options.threads,
         .isAcross = options.sharding.isAcross}));
    auto parts = std::make_unique<Parts>(std::move(lowered), options);
    CANNERY_TRY(parts->checkAlone());
    if (parts->lowered.makeStep) {
        parts->ownStep = parts->lowered.makeStep();
    }
    // Lanes ask the optimizers which variables are trained, learners have the lanes' head, and a
    // device mirrors what the lanes and optimizers have laid out: hence this order.
    CANNERY_TRY(parts->makeVariables());
    CANNERY_TRY(parts->makeLanes());
    CANNERY_TRY(parts->makeLearner());
    CANNERY_TRY(parts->makeDevice());
    parts->connect();
    return std::unique_ptr<Model>(new Model(std::move(parts)));
}

/// Whether what cannot be shared with other processes is not.
Result<void> Model::Parts::checkAlone() const
{
    // Here fewer shards than the step has means other processes.
    if (!lowered.sequenceMask.empty() && options.accelerator == nullptr &&
        options.sharding.count < options.sharding.total) {
        return fail(ErrorCode::Unimplemented, kStepsOfProcesses);
    }
    if (options.parameters != nullptr && std::ranges::any_of(lowered.graph.variables, &hasRules)) {
        return fail(ErrorCode::Unimplemented, kRulesOnServers);
    }
    const bool isAlone =
        options.sharding.total == 1 && options.exchange == nullptr && options.parameters == nullptr;
    if ((lowered.makeStep || lowered.learner != nullptr) && !isAlone) {
        return fail(ErrorCode::Unimplemented, kLearnsAlone);
    }
    return {};
}

Result<void> Model::Parts::makeVariables()
{
    const graph::LayerGraph& graph = lowered.graph;
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> cells, cellSizes(lowered, options));
    CANNERY_TRY_ASSIGN(variables, Variables::create(graph, options.seed, options.folder, cells));
    if (options.training) {
        for (const graph::ScopedOptimizer& description : lowered.optimizers) {
            CANNERY_TRY_ASSIGN(auto optimizer,
                               PartOptimizer::create(description, graph, variables, options.seed));
            optimizers.push_back(std::move(optimizer));
        }
    }
    return {};
}

Result<void> Model::Parts::makeLanes()
{
    CANNERY_TRY_ASSIGN(lanes, LaneGroup::create({.lowered = lowered,
                                                 .options = options,
                                                 .pool = pool,
                                                 .variables = variables,
                                                 .optimizers = optimizers}));
    return {};
}

Result<void> Model::Parts::makeLearner()
{
    if (lowered.learner == nullptr) {
        return {};
    }
    CANNERY_TRY_ASSIGN(
        learner,
        plan::makeLearner({.lowered = lowered,
                           .head = lanes->head(),
                           .seed = options.seed,
                           .accelerator = options.training ? options.accelerator : nullptr}));
    return {};
}

Result<void> Model::Parts::makeDevice()
{
    if (options.accelerator == nullptr || !options.training) {
        return {};
    }
    CANNERY_TRY(checkOnDevice(options, lowered.graph, ownStep.get(), learner.get()));
    for (const auto& optimizer : optimizers) {
        CANNERY_TRY(checkOptimizerOnDevice(*optimizer, lowered.graph));
    }
    if (learner != nullptr) {
        return {}; // which has the accelerator
    }
    std::vector<kernels::Accelerator*> accelerators{options.accelerator};
    accelerators.insert(accelerators.end(), options.peers.begin(), options.peers.end());
    CANNERY_TRY_ASSIGN(
        device,
        DeviceStep::create(accelerators,
                           {.lowered = lowered,
                            .variables = variables,
                            .network = lanes->network(),
                            .head = lanes->head(),
                            .optimizers = optimizers,
                            .ownStep = ownStep == nullptr ? nullptr : ownStep->onAccelerator(),
                            .seed = options.seed,
                            .precision = options.precision,
                            .classWeights = options.classWeights,
                            .sharding = options.sharding,
                            .exchange = options.exchange}));
    lanes->beforeLayout([this] { device->forgetLayout(); });
    return {};
}

void Model::Parts::connect()
{
    if (device != nullptr) {
        onDevice.emplace(*device, *lanes, ownStep.get(), record);
    }
    if (options.parameters != nullptr) {
        remote.emplace(RemoteStep::Parts{.graph = lowered.graph,
                                         .exchange = *options.parameters,
                                         .lanes = *lanes,
                                         .pool = pool,
                                         .variables = variables,
                                         .optimizers = optimizers,
                                         .record = record,
                                         .shards = options.sharding.total});
    }
    inference.emplace(Inference::Parts{.lowered = lowered,
                                       .pool = pool,
                                       .lanes = *lanes,
                                       .variables = variables,
                                       .learner = learner.get(),
                                       .learned = learned,
                                       .hasOwnStep = ownStep != nullptr,
                                       .device = device.get(),
                                       .accelerator = options.accelerator});
    lastStep.emplace(LastStep::Parts{.lowered = lowered,
                                     .pool = pool,
                                     .lanes = *lanes,
                                     .variables = variables,
                                     .optimizers = optimizers,
                                     .ownStep = ownStep.get(),
                                     .learner = learner.get(),
                                     .device = device.get(),
                                     .isAcross = options.sharding.isAcross,
                                     .record = record});
    state.emplace(ModelState::Parts{.lowered = lowered,
                                    .training = options.training,
                                    .variables = variables,
                                    .optimizers = optimizers,
                                    .ownStep = ownStep.get(),
                                    .learner = learner.get(),
                                    .device = device.get()});
}

double Model::computeGradients(const features::EncodedRows& batch, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    CANNERY_CHECK(m_parts->options.exchange == nullptr && m_parts->ownStep == nullptr);
    if (m_parts->onDevice) {
        return m_parts->onDevice->train({&batch, 1}, globalStep, {.updates = false})
            .value()
            .value();
    }
    const Result<void> isRun = m_parts->lanes->run({&batch, 1}, globalStep);
    CANNERY_CHECK(isRun.has_value()); // nothing is exchanged
    m_parts->lanes->addPenalties();
    return m_parts->lanes->loss();
}

double Model::train(const features::EncodedRows& batch, std::int64_t globalStep)
{
    if (m_parts->onDevice) {
        return m_parts->onDevice->train({&batch, 1}, globalStep, {}).value().value();
    }
    const double loss = computeGradients(batch, globalStep);
    m_parts->update(globalStep);
    return loss;
}

Result<std::optional<double>> Model::train(std::span<const features::EncodedRows> batches,
                                           std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    Parts& parts = *m_parts;
    if (parts.onDevice) {
        return parts.onDevice->train(batches, globalStep, parts.onDevice->kind());
    }
    if (parts.ownStep != nullptr) {
        CANNERY_CHECK(batches.size() == 1);
        return parts.trainOwnWay(batches.front(), globalStep);
    }
    if (parts.remote) {
        return parts.remote->train(batches, globalStep);
    }
    if (parts.learner != nullptr) {
        return parts.trainLearner(batches, globalStep);
    }
    CANNERY_TRY(parts.lanes->run(batches, globalStep));
    if (parts.options.exchange != nullptr) {
        CANNERY_TRY_ASSIGN(parts.record.votes, parts.lanes->finishExchange());
        // Nothing has been updated yet, in any process: all leave after the same step.
        if (parts.record.votes > 0) {
            return std::nullopt;
        }
    }
    parts.lanes->addPenalties();
    const double loss = parts.lanes->loss();
    parts.update(globalStep);
    return loss;
}

Result<std::optional<double>>
Model::Parts::trainLearner(std::span<const features::EncodedRows> batches, std::int64_t globalStep)
{
    lanes->setRows(0);
    for (const features::EncodedRows& batch : batches) {
        lanes->makeRoomFor(batch.rowCount);
    }
    if (!batches.empty()) {
        lanes->begin(batches.front());
    }
    const TraceSpan span(lanes->trace(), TracePhase::Step, "model", "learn");
    CANNERY_TRY_ASSIGN(
        const LearnerOutcome outcome,
        learner->train({.batches = batches,
                        .globalStep = globalStep,
                        .head = lanes->head(),
                        .pool = pool,
                        .logits = learned.of(lanes->rows(), lanes->head().logitsWidth())}));
    record.advanced = outcome.advances;
    return outcome.loss;
}

Result<std::optional<double>> Model::Parts::trainOwnWay(const features::EncodedRows& batch,
                                                        std::int64_t globalStep)
{
    lanes->begin(batch);
    record.gradientNorm.reset();
    const TraceSpan span(lanes->trace(), TracePhase::Step, "model", "learn");
    return ownStep->train(batch, lanes->ownContext(globalStep));
}

void Model::Parts::update(std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    lanes->network().gradients().updateStatistics(options.sharding.total);
    recordGradientNorm(lanes->network(), lowered.graph.variables.size(), record);
    for (const auto& optimizer : optimizers) {
        const TraceSpan span(lanes->trace(), TracePhase::Optimizer, optimizer->description().scope,
                             optimizer->name());
        optimizer->step(pool, lanes->workers(), globalStep);
    }
}

DeviceTraining* Model::device()
{
    return m_parts->onDevice ? &*m_parts->onDevice : nullptr;
}

Learner* Model::learner()
{
    return m_parts->learner.get();
}

Result<void> Model::voteAgainstStep(float vote)
{
    if (m_parts->onDevice) {
        return m_parts->onDevice->voteAgainstStep(vote);
    }
    CANNERY_TRY_ASSIGN(m_parts->record.votes, m_parts->lanes->voteAgainst(vote));
    return {};
}

LastStep& Model::lastStep()
{
    return *m_parts->lastStep;
}

void Model::trace(StepTrace* trace)
{
    m_parts->lanes->setTrace(trace);
}

Inference& Model::inference()
{
    return *m_parts->inference;
}

std::vector<StateTensor> Model::state()
{
    return m_parts->state->tensors();
}

void Model::startAverages()
{
    m_parts->state->startAverages();
}

void Model::swapAverages()
{
    m_parts->state->swapAverages();
}

bool Model::takeAverages()
{
    return m_parts->state->takeAverages();
}

std::optional<std::string> Model::trainingEnd() const
{
    if (m_parts->ownStep != nullptr) {
        return m_parts->ownStep->end();
    }
    return m_parts->learner != nullptr ? m_parts->learner->completion() : std::nullopt;
}

const graph::LayerGraph& Model::graph() const
{
    return m_parts->lowered.graph;
}

heads::Head& Model::head()
{
    return m_parts->lanes->head();
}

kernels::ThreadPool& Model::threadPool()
{
    return m_parts->pool;
}

} // namespace cannery::plan
