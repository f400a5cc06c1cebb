// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/encoded_rows.h"
#include "core/graph/lowered_model.h"
#include "core/plan/device/own_step.h"
#include "core/plan/lane.h"
#include "core/plan/lockstep.h"
#include "core/plan/part_optimizer.h"
#include "core/plan/weights/penalties.h"
#include "kernels/device/thread_pool.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace cannery::plan {

struct ModelOptions;

/// The lanes of a model: as many as the shards of this process and its threads make useful, or one
/// per shard in lockstep. All have the same layout, which grows with the batches. The sum of a
/// step's shards is in the first lane, which serves everything but training, too. One controlling
/// thread at a time.
class LaneGroup
{
public:
    /// All of them outlive the lanes.
    struct Parts
    {
        const graph::LoweredModel& lowered;
        const ModelOptions& options;
        kernels::ThreadPool& pool;
        Variables& variables;
        std::span<const std::unique_ptr<PartOptimizer>> optimizers;
    };
    /// Laid out for ModelOptions::maxBatchSize rows. Errors: of makeHead and Network::create.
    static Result<std::unique_ptr<LaneGroup>> create(const Parts& parts);

    Network& network() { return m_lanes.front()->network(); }
    heads::Head& head() { return m_lanes.front()->head(); }
    std::span<layers::Worker> workers() { return m_workers; }
    StepTrace* trace() { return network().trace(); }
    /// Of all lanes; see Network::setTrace().
    void setTrace(StepTrace* trace);

    /// `forget` is called before buffers move.
    void beforeLayout(std::function<void()> forget) { m_beforeLayout = std::move(forget); }
    void makeRoomFor(std::int64_t batchRows);
    /// Of the last batch; in training, of the first shard's.
    std::int64_t rows() const { return m_rows; }
    void setRows(std::int64_t rows) { m_rows = rows; }
    /// Binds a batch to the first lane, with room for it.
    void begin(const features::EncodedRows& batch);
    /// For a pass of the first lane over that batch, and for a step of its own.
    layers::StepContext context(layers::Mode mode);
    OwnStepContext ownContext(std::int64_t globalStep);

    /// Forward and backward over this process's shards; their sum is in network(), and begun to be
    /// exchanged, if there is an exchange. Errors: in lockstep, of the exchange.
    Result<void> run(std::span<const features::EncodedRows> batches, std::int64_t globalStep);
    /// With an exchange, after run(): returns the sum of the votes against the step.
    Result<float> finishExchange();
    /// With an exchange, instead of run(): votes against the step of the other processes.
    Result<float> voteAgainst(float vote);
    /// After run() and the exchange: adds the penalties of weights and their gradients, once.
    void addPenalties();
    /// After that: the loss of the whole step.
    double loss();
    /// What of the last loss, of the first shard, is no head's: the penalties of weights and of
    /// layers' outputs.
    double stepPenalty() const { return m_penalty + m_lanes.front()->firstPenalty(); }
    /// Of the first lane's batch, after a forward pass in another mode than training.
    double inferencePenalty();
    Penalties& penalties() { return m_penalties; }

private:
    explicit LaneGroup(const Parts& parts);
    Result<void> makeLanes();
    void prepare(std::int64_t maxRows);
    Result<void> runLanes(const ShardStep& step, LaneThreads all);
    /// Begins all packs of what network() has.
    void beginPacks();

    const graph::LoweredModel& m_lowered;
    const ModelOptions& m_options;
    kernels::ThreadPool& m_pool;
    Variables& m_variables;
    std::span<const std::unique_ptr<PartOptimizer>> m_optimizers;
    std::vector<layers::Worker> m_workers; ///< one per thread
    std::vector<std::unique_ptr<Lane>> m_lanes;
    std::int64_t m_shardsOfLane = 1; ///< of each, but the last one may have fewer
    Penalties m_penalties;
    double m_penalty = 0;               ///< of weights, in the last step
    std::optional<Lockstep> m_lockstep; ///< of the lanes, if a layer looks across shards
    std::vector<Pack> m_packs;          ///< for the exchange
    std::function<void()> m_beforeLayout;
    std::int64_t m_rows = 0;
};

} // namespace cannery::plan
