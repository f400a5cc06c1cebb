// SPDX-License-Identifier: Apache-2.0
#include "core/plan/model.h"

#include "core/base/check.h"
#include "core/heads/head_catalog.h"
#include "core/heads/step_predictions.h"
#include "core/plan/cells.h"
#include "core/plan/gradient_exchange.h"
#include "core/plan/learners/learner_catalog.h"
#include "core/plan/model_parts.h"
#include "core/plan/model_size.h"
#include "kernels/device/flush_denormals.h"

#include <algorithm>

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

constexpr ErrorKind kCannotExplain{"plan.cannot_explain",
                                   "This model cannot explain its predictions. {}"};

/// The optimizer of each variable of the graph.
std::vector<Training> trainingOf(const graph::LayerGraph& graph,
                                 const std::vector<std::unique_ptr<PartOptimizer>>& optimizers)
{
    std::vector<Training> training(graph.variables.size());
    for (const auto& optimizer : optimizers) {
        for (const graph::VariableId id : optimizer->variables()) {
            training[static_cast<std::size_t>(id)] = {
                .trained = true, .untouchedRowsStay = optimizer->untouchedRowsStay()};
        }
    }
    return training;
}

} // namespace

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
    // Here fewer shards than the step has means other processes.
    if (!lowered.sequenceMask.empty() && options.accelerator == nullptr &&
        options.sharding.count < options.sharding.total) {
        return fail(ErrorCode::Unimplemented, kStepsOfProcesses);
    }
    auto parts = std::make_unique<Parts>(std::move(lowered), options);
    const bool isAlone =
        options.sharding.total == 1 && options.exchange == nullptr && options.parameters == nullptr;
    if ((parts->lowered.makeStep || parts->lowered.learner != nullptr) && !isAlone) {
        return fail(ErrorCode::Unimplemented, kLearnsAlone);
    }
    if (parts->lowered.makeStep) {
        parts->ownStep = parts->lowered.makeStep();
    }
    const graph::LayerGraph& graph = parts->lowered.graph;
    CANNERY_TRY_ASSIGN(const std::vector<std::int64_t> cells, cellSizes(parts->lowered, options));
    CANNERY_TRY_ASSIGN(parts->variables,
                       Variables::create(graph, options.seed, options.folder, cells));
    if (options.training) {
        for (const graph::ScopedOptimizer& description : parts->lowered.optimizers) {
            CANNERY_TRY_ASSIGN(
                auto optimizer,
                PartOptimizer::create(description, graph, parts->variables, options.seed));
            parts->optimizers.push_back(std::move(optimizer));
        }
    }
    parts->trainers.resize(graph.variables.size());
    for (const auto& optimizer : parts->optimizers) {
        for (std::size_t index = 0; index < optimizer->variables().size(); ++index) {
            const graph::VariableId id = optimizer->variables()[index];
            parts->trainers[static_cast<std::size_t>(id)] = {optimizer.get(), index};
        }
    }
    // Lanes ask the optimizers which variables are trained, prepare() binds gradients of the lanes,
    // and a device mirrors what both have laid out: hence this order.
    CANNERY_TRY(parts->makeLanes());
    CANNERY_TRY(parts->makeLearner());
    parts->prepare(options.maxBatchSize);
    CANNERY_TRY(parts->makeDevice());
    return std::unique_ptr<Model>(new Model(std::move(parts)));
}

Result<void> Model::Parts::makeLanes()
{
    // Shards of accelerators are the devices' own, and inference has a single one: one lane each.
    const bool isOnCpu = options.training && options.accelerator == nullptr;
    const std::int64_t shards = isOnCpu ? options.sharding.count : 1;
    CANNERY_TRY_ASSIGN(const bool looksAcross, looksAcrossShards(lowered.graph));
    const bool isAcross =
        looksAcross && isOnCpu && options.sharding.isAcross && options.sharding.total > 1;
    // Lockstep holds a shard in the middle of a pass while the others catch up: one lane for each.
    shardsOfLane = isAcross ? 1 : shardsPerLane(shards, pool.threadCount());
    const std::int64_t count = (shards + shardsOfLane - 1) / shardsOfLane;
    const int threads = std::max(1, pool.threadCount() / static_cast<int>(count));
    for (std::int64_t lane = 0; lane < count; ++lane) {
        CANNERY_TRY_ASSIGN(auto network,
                           Network::create(lowered.graph, trainingOf(lowered.graph, optimizers)));
        CANNERY_TRY_ASSIGN(auto head, heads::makeHead(lowered));
        lanes.push_back(std::make_unique<Lane>(std::move(network), std::move(head)));
        if (count > 1) { // with scratch of their own: which worker runs a lane is chance
            lanes.back()->ownThreads(threads);
        }
    }
    if (isAcross) {
        lockstep.emplace(lanes, options.sharding, options.exchange);
    }
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
                           .head = head(),
                           .seed = options.seed,
                           .accelerator = options.training ? options.accelerator : nullptr}));
    return {};
}

void Model::Parts::prepare(std::int64_t maxRows)
{
    if (device != nullptr) {
        device->forgetLayout();
    }
    for (const auto& lane : lanes) {
        lane->prepare(variables, maxRows, shardsOfLane);
    }
    if (lockstep) {
        lockstep->prepare();
    }
    for (layers::Worker& worker : workers) {
        worker.scratch.reserve(maxRows);
    }
    for (const auto& optimizer : optimizers) {
        std::vector<VariableGradient*> gradients;
        for (const graph::VariableId id : optimizer->variables()) {
            gradients.push_back(network().gradient(id));
        }
        optimizer->bind(gradients);
    }
    if (options.exchange != nullptr) {
        packs = network().packs(options.exchange->packSizes());
    }
    if (options.parameters != nullptr) {
        layOutExchange();
    }
}

void Model::Parts::makeRoomFor(std::int64_t batchRows)
{
    if (batchRows > network().maxRows()) {
        prepare(batchRows);
    }
}

void Model::Parts::begin(const features::EncodedRows& batch)
{
    makeRoomFor(batch.rowCount);
    comeBack();
    network().bindInputs(batch);
    rows = batch.rowCount;
}

Result<void> Model::Parts::runShards(std::span<const features::EncodedRows> shards,
                                     std::int64_t globalStep)
{
    CANNERY_CHECK(static_cast<std::int64_t>(shards.size()) == options.sharding.count);
    // Before any lane runs: preparing moves the buffers of all of them.
    for (const features::EncodedRows& batch : shards) {
        makeRoomFor(batch.rowCount);
    }
    rows = shards.front().rowCount;
    const ShardStep step{.batches = shards,
                         .sharding = options.sharding,
                         .logits = lowered.graph.logits,
                         .classWeights = options.classWeights,
                         .seed = options.seed,
                         .step = static_cast<std::uint64_t>(globalStep)};
    const LaneThreads all{pool, workers};
    CANNERY_TRY(runLanes(step, all));
    if (lanes.size() > 1) {
        const TraceSpan span(trace(), TracePhase::Exchange, "shards", "sum");
        sumLanes(lanes, all);
        beginPacks();
    }
    return {};
}

Result<void> Model::Parts::runLanes(const ShardStep& step, LaneThreads all)
{
    std::optional<Departure> departure;
    // A single lane has nothing to add up with others: its gradients leave during its backward
    // pass. Several lanes are added up first (runShards()).
    if (lanes.size() == 1 && options.exchange != nullptr) {
        departure.emplace(Departure{.exchange = *options.exchange, .packs = packs});
    }
    const Departure* const leaving = departure ? &*departure : nullptr;
    if (lockstep) {
        return lockstep->run(step, all, leaving);
    }
    if (lanes.size() == 1) {
        lanes.front()->run(step, all, 0, options.sharding.count, leaving);
        return {};
    }
    const auto one = [&](std::int64_t index, int worker) {
        Lane& lane = *lanes[static_cast<std::size_t>(index)];
        const std::int64_t first = index * shardsOfLane;
        lane.run(step, lane.threads(all, worker), first,
                 std::min(shardsOfLane, options.sharding.count - first));
    };
    pool.parallelFor(static_cast<std::int64_t>(lanes.size()), one);
    return {};
}

double Model::Parts::lossOfStep()
{
    // In double; the losses of several shards are added up as floats, like their gradients.
    if (options.sharding.total == 1) {
        return lanes.front()->firstLoss();
    }
    return static_cast<double>(network().stepFacts()[kLosses]) /
           static_cast<double>(options.sharding.total);
}

layers::StepContext Model::Parts::context(layers::Mode mode, std::int64_t step)
{
    return {.pool = pool,
            .workers = workers,
            .mode = mode,
            .rows = rows,
            .seed = options.seed,
            .step = static_cast<std::uint64_t>(step)};
}

double Model::computeGradients(const features::EncodedRows& batch, std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    CANNERY_CHECK(m_parts->options.exchange == nullptr && m_parts->ownStep == nullptr);
    if (m_parts->device != nullptr) {
        return m_parts->stepOnDevice({&batch, 1}, globalStep, {.updates = false}).value().value();
    }
    const Result<void> isRun = m_parts->runShards({&batch, 1}, globalStep);
    CANNERY_CHECK(isRun.has_value()); // nothing is exchanged
    return m_parts->lossOfStep();
}

double Model::train(const features::EncodedRows& batch, std::int64_t globalStep)
{
    if (m_parts->device != nullptr) {
        return m_parts->stepOnDevice({&batch, 1}, globalStep, {}).value().value();
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
    if (parts.ownStep != nullptr && parts.device == nullptr) {
        CANNERY_CHECK(batches.size() == 1);
        return parts.trainOwnWay(batches.front(), globalStep);
    }
    if (parts.options.parameters != nullptr) {
        return parts.trainRemotely(batches, globalStep);
    }
    if (parts.learner != nullptr) {
        return parts.trainLearner(batches, globalStep);
    }
    if (parts.device != nullptr) {
        return parts.stepOnDevice(batches, globalStep, {.measures = parts.measures()});
    }
    CANNERY_TRY(parts.runShards(batches, globalStep));
    if (parts.options.exchange != nullptr) {
        CANNERY_TRY(parts.finishExchange());
        // Nothing has been updated yet, in any process: all leave after the same step.
        if (votes() > 0) {
            return std::nullopt;
        }
    }
    const double loss = parts.lossOfStep();
    parts.update(globalStep);
    return loss;
}

kernels::MatrixView Model::Parts::learnerLogits(std::int64_t rowsOfBatch)
{
    const std::int64_t width = head().logitsWidth();
    learned.resize(std::max(learned.size(), static_cast<std::size_t>(rowsOfBatch * width)));
    return kernels::matrixView(std::span(learned), rowsOfBatch, width);
}

Result<std::optional<double>>
Model::Parts::trainLearner(std::span<const features::EncodedRows> batches, std::int64_t globalStep)
{
    rows = 0;
    for (const features::EncodedRows& batch : batches) {
        makeRoomFor(batch.rowCount);
    }
    if (!batches.empty()) {
        begin(batches.front());
    }
    const TraceSpan span(trace(), TracePhase::Step, "model", "learn");
    CANNERY_TRY_ASSIGN(const LearnerOutcome outcome,
                       learner->train({.batches = batches,
                                       .globalStep = globalStep,
                                       .head = head(),
                                       .pool = pool,
                                       .logits = learnerLogits(rows)}));
    advanced = outcome.advances;
    return outcome.loss;
}

bool Model::advanced() const
{
    return m_parts->advanced;
}

Learner* Model::learner()
{
    return m_parts->learner.get();
}

OwnStepContext Model::Parts::ownContext(std::int64_t globalStep)
{
    return {.variables = variables,
            .network = network(),
            .head = head(),
            .pool = pool,
            .workers = workers,
            .seed = options.seed,
            .step = globalStep,
            .classWeights = options.classWeights};
}

Result<double> Model::Parts::trainOwnWay(const features::EncodedRows& batch,
                                         std::int64_t globalStep)
{
    begin(batch);
    gradientNorm.reset();
    const TraceSpan span(trace(), TracePhase::Step, "model", "learn");
    return ownStep->train(batch, ownContext(globalStep));
}

std::optional<std::string> Model::trainingEnd() const
{
    if (m_parts->ownStep != nullptr) {
        return m_parts->ownStep->end();
    }
    return m_parts->learner != nullptr ? m_parts->learner->completion() : std::nullopt;
}

Result<void> Model::explainPredictions()
{
    const std::string reason = m_parts->learner != nullptr
                                   ? m_parts->learner->cannotExplain()
                                   : "Only boosted trees tell contributions of features.";
    if (!reason.empty()) {
        return fail(ErrorCode::InvalidArgument, kCannotExplain, reason);
    }
    m_parts->explains = true;
    return {};
}

void Model::trace(StepTrace* trace)
{
    for (const auto& lane : m_parts->lanes) {
        lane->network().setTrace(trace);
    }
}

void Model::Parts::update(std::int64_t globalStep)
{
    const kernels::FlushDenormals flush;
    network().updateStatistics(options.sharding.total);
    gradientNorm.reset();
    if (wantsGradientNorm) {
        measureGradient();
    }
    for (const auto& optimizer : optimizers) {
        const TraceSpan span(trace(), TracePhase::Optimizer, optimizer->description().scope,
                             optimizer->name());
        optimizer->step(pool, workers, globalStep);
    }
}

void Model::addToMetrics(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    if (m_parts->ownStep != nullptr) {
        forward(batch, layers::Mode::Evaluate);
    }
    m_parts->head().evaluate(m_parts->pool, headBatch(batch, m_parts->head(), logits()), metrics);
}

void Model::forward(const features::EncodedRows& batch, layers::Mode mode)
{
    const kernels::FlushDenormals flush;
    m_parts->begin(batch);
    m_parts->network().forward(m_parts->context(mode, 0));
    if (m_parts->learner != nullptr) {
        m_parts->learner->forward(batch, m_parts->learnerLogits(batch.rowCount), &m_parts->pool);
    }
}

kernels::ConstMatrixView Model::logits() const
{
    if (m_parts->learner != nullptr) {
        return m_parts->learnerLogits(m_parts->rows);
    }
    m_parts->bringValue(m_parts->lowered.graph.logits);
    return m_parts->network().valuesOf(m_parts->lowered.graph.logits, m_parts->rows);
}

double Model::evaluate(const features::EncodedRows& batch, metrics::MetricSet& metrics)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Evaluate);
    return m_parts->head().evaluate(m_parts->pool, headBatch(batch, m_parts->head(), logits()),
                                    metrics);
}

void Model::predict(const features::EncodedRows& batch, std::vector<heads::Prediction>& predictions)
{
    const kernels::FlushDenormals flush;
    forward(batch, layers::Mode::Predict);
    m_parts->head().predict(m_parts->pool, logits(), batch.rowCount, predictions);
    m_parts->groupBySteps(m_parts->network(), predictions);
}

void Model::Parts::groupBySteps(const Network& network,
                                std::vector<heads::Prediction>& predictions) const
{
    if (!lowered.sequenceMask.empty()) {
        heads::groupBySteps(network.buffer(lowered.graph.logits).stepOffsets, lowered.sequenceMask,
                            predictions);
    }
}

const graph::LayerGraph& Model::graph() const
{
    return m_parts->lowered.graph;
}

heads::Head& Model::head()
{
    return m_parts->head();
}

kernels::ThreadPool& Model::threadPool()
{
    return m_parts->pool;
}

} // namespace cannery::plan
