// SPDX-License-Identifier: Apache-2.0
#include "core/plan/lane_group.h"

#include "core/base/check.h"
#include "core/heads/head_catalog.h"
#include "core/plan/gradient_exchange.h"
#include "core/plan/model.h"

#include <algorithm>

namespace cannery::plan {

namespace {

/// The optimizer of each variable of the graph.
std::vector<Training> trainingOf(const graph::LayerGraph& graph,
                                 std::span<const std::unique_ptr<PartOptimizer>> optimizers)
{
    std::vector<Training> training(graph.variables.size());
    for (const auto& optimizer : optimizers) {
        const optimizers::GradientClipping& clipping = optimizer->optimizer().clipping();
        for (const graph::VariableId id : optimizer->variables()) {
            // A penalty has a gradient in every row.
            const bool hasRows = !isPenalized(graph.variable(id));
            training[static_cast<std::size_t>(id)] = {.trained = true,
                                                      .untouchedRowsStay =
                                                          hasRows && optimizer->untouchedRowsStay(),
                                                      .clipsSlices = hasRows && clipping.any(),
                                                      .clipvalue = clipping.clipvalue};
        }
    }
    return training;
}

} // namespace

LaneGroup::LaneGroup(const Parts& parts)
    : m_lowered(parts.lowered), m_options(parts.options), m_pool(parts.pool),
      m_variables(parts.variables), m_optimizers(parts.optimizers),
      m_workers(static_cast<std::size_t>(std::max(m_options.threads, m_pool.threadCount()))),
      m_penalties(m_lowered.graph)
{}

Result<std::unique_ptr<LaneGroup>> LaneGroup::create(const Parts& parts)
{
    std::unique_ptr<LaneGroup> group(new LaneGroup(parts));
    CANNERY_TRY(group->makeLanes());
    group->prepare(parts.options.maxBatchSize);
    return group;
}

Result<void> LaneGroup::makeLanes()
{
    // Shards of accelerators are the devices' own, and inference has a single one: one lane each.
    const bool isOnCpu = m_options.training && m_options.accelerator == nullptr;
    const std::int64_t shards = isOnCpu ? m_options.sharding.count : 1;
    CANNERY_TRY_ASSIGN(const bool looksAcross, looksAcrossShards(m_lowered.graph));
    const bool isAcross =
        looksAcross && isOnCpu && m_options.sharding.isAcross && m_options.sharding.total > 1;
    // Lockstep holds a shard in the middle of a pass while the others catch up: one lane for each.
    m_shardsOfLane = isAcross ? 1 : shardsPerLane(shards, m_pool.threadCount());
    const std::int64_t count = (shards + m_shardsOfLane - 1) / m_shardsOfLane;
    const int threads = std::max(1, m_pool.threadCount() / static_cast<int>(count));
    for (std::int64_t lane = 0; lane < count; ++lane) {
        CANNERY_TRY_ASSIGN(
            auto network,
            Network::create(m_lowered.graph, trainingOf(m_lowered.graph, m_optimizers)));
        CANNERY_TRY_ASSIGN(auto head, heads::makeHead(m_lowered));
        m_lanes.push_back(std::make_unique<Lane>(std::move(network), std::move(head)));
        if (count > 1) { // with scratch of their own: which worker runs a lane is chance
            m_lanes.back()->ownThreads(threads);
        }
    }
    if (isAcross) {
        m_lockstep.emplace(m_lanes, m_options.sharding, m_options.exchange);
    }
    return {};
}

void LaneGroup::setTrace(StepTrace* trace)
{
    for (const auto& lane : m_lanes) {
        lane->network().setTrace(trace);
    }
}

/// Lays everything out for batches of at most this many rows.
void LaneGroup::prepare(std::int64_t maxRows)
{
    if (m_beforeLayout) {
        m_beforeLayout();
    }
    for (const auto& lane : m_lanes) {
        lane->prepare(m_variables, maxRows, m_shardsOfLane);
    }
    if (m_lockstep) {
        m_lockstep->prepare();
    }
    for (layers::Worker& worker : m_workers) {
        worker.scratch.reserve(maxRows);
    }
    m_penalties.bind(m_variables, network().gradients());
    for (const auto& optimizer : m_optimizers) {
        std::vector<VariableGradient*> gradients;
        for (const graph::VariableId id : optimizer->variables()) {
            gradients.push_back(network().gradients().of(id));
        }
        optimizer->bind(gradients);
    }
    if (m_options.exchange != nullptr) {
        m_packs = network().gradients().packs(m_options.exchange->packSizes());
    }
}

void LaneGroup::makeRoomFor(std::int64_t batchRows)
{
    if (batchRows > network().maxRows()) {
        prepare(batchRows);
    }
}

void LaneGroup::begin(const features::EncodedRows& batch)
{
    makeRoomFor(batch.rowCount);
    network().bindInputs(batch);
    m_rows = batch.rowCount;
}

layers::StepContext LaneGroup::context(layers::Mode mode)
{
    return {.pool = m_pool,
            .workers = m_workers,
            .mode = mode,
            .rows = m_rows,
            .seed = m_options.seed,
            .step = 0};
}

OwnStepContext LaneGroup::ownContext(std::int64_t globalStep)
{
    return {.variables = m_variables,
            .network = network(),
            .head = head(),
            .pool = m_pool,
            .workers = m_workers,
            .seed = m_options.seed,
            .step = globalStep,
            .classWeights = m_options.classWeights};
}

Result<void> LaneGroup::run(std::span<const features::EncodedRows> batches, std::int64_t globalStep)
{
    CANNERY_CHECK(static_cast<std::int64_t>(batches.size()) == m_options.sharding.count);
    // Before any lane runs: preparing moves the buffers of all of them.
    for (const features::EncodedRows& batch : batches) {
        makeRoomFor(batch.rowCount);
    }
    m_rows = batches.front().rowCount;
    const ShardStep step{.batches = batches,
                         .sharding = m_options.sharding,
                         .logits = m_lowered.graph.logits,
                         .classWeights = m_options.classWeights,
                         .seed = m_options.seed,
                         .step = static_cast<std::uint64_t>(globalStep)};
    const LaneThreads all{m_pool, m_workers};
    CANNERY_TRY(runLanes(step, all));
    if (m_lanes.size() > 1) {
        const TraceSpan span(trace(), TracePhase::Exchange, "shards", "sum");
        sumLanes(m_lanes, all);
        beginPacks();
    }
    return {};
}

Result<void> LaneGroup::runLanes(const ShardStep& step, LaneThreads all)
{
    std::optional<Departure> departure;
    // A single lane has nothing to add up with others: its gradients leave during its backward
    // pass. Several lanes are added up first (run()).
    if (m_lanes.size() == 1 && m_options.exchange != nullptr) {
        departure.emplace(Departure{.exchange = *m_options.exchange, .packs = m_packs});
    }
    const Departure* const leaving = departure ? &*departure : nullptr;
    if (m_lockstep) {
        return m_lockstep->run(step, all, leaving);
    }
    if (m_lanes.size() == 1) {
        m_lanes.front()->run(step, all, 0, m_options.sharding.count, leaving);
        return {};
    }
    const auto one = [&](std::int64_t index, int worker) {
        Lane& lane = *m_lanes[static_cast<std::size_t>(index)];
        const std::int64_t first = index * m_shardsOfLane;
        lane.run(step, lane.threads(all, worker), first,
                 std::min(m_shardsOfLane, m_options.sharding.count - first));
    };
    m_pool.parallelFor(static_cast<std::int64_t>(m_lanes.size()), one);
    return {};
}

void LaneGroup::beginPacks()
{
    for (const Pack& pack : m_packs) {
        m_options.exchange->begin(
            network().gradients().denseParts().subspan(static_cast<std::size_t>(pack.first),
                                                       static_cast<std::size_t>(pack.count)),
            &pack == &m_packs.back());
    }
}

Result<float> LaneGroup::finishExchange()
{
    const TraceSpan span(trace(), TracePhase::Exchange, "processes", "sum");
    CANNERY_TRY(m_options.exchange->finish(network().gradients().sparseParts()));
    return network().gradients().stepFacts()[kVotes];
}

Result<float> LaneGroup::voteAgainst(float vote)
{
    if (m_lockstep) {
        CANNERY_TRY(m_lockstep->abstain());
    }
    network().gradients().stepFacts()[kVotes] = vote;
    beginPacks();
    return finishExchange();
}

void LaneGroup::addPenalties()
{
    m_penalty = m_penalties.addGradients(m_pool);
}

double LaneGroup::inferencePenalty()
{
    return m_penalties.total(m_pool) + network().penalty(context(layers::Mode::Evaluate));
}

double LaneGroup::loss()
{
    // In double; the losses of several shards are added up as floats, like their gradients.
    if (m_options.sharding.total == 1) {
        return m_lanes.front()->firstLoss() + m_penalty;
    }
    return static_cast<double>(network().gradients().stepFacts()[kLosses]) /
               static_cast<double>(m_options.sharding.total) +
           m_penalty;
}

} // namespace cannery::plan
