// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/gradient_exchange.h"
#include "core/plan/lane.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// Computes shards side by side, one in each lane, for a network with layers that look across
/// shards. Both passes stop at each of these layers until the sums of all shards of the step, also
/// of other processes, are known: partial sums are merged as the tree of plan::Sharding.
class Lockstep
{
public:
    /// One lane per shard of this process; they must outlive this. `exchange`: with the other
    /// processes; null: there are none.
    Lockstep(std::span<const std::unique_ptr<Lane>> lanes, const Sharding& sharding,
             GradientExchange* exchange);

    /// Once the lanes are prepared.
    void prepare();
    /// Forward and backward; each lane then has its shard's gradients. `departure` (may be null,
    /// and must be if there are several lanes): begins every pack of them. Errors: of the exchange.
    Result<void> run(const ShardStep& step, LaneThreads all, const Departure* departure);
    /// What the other processes wait for in their run(), of no rows. Errors: of the exchange.
    Result<void> abstain();

private:
    std::span<double> sumsOf(std::size_t lane, std::size_t node);
    std::span<double> sumsOfAll(std::size_t node);
    std::size_t sumCount(std::size_t node) const;
    Result<void> share(std::size_t node, layers::Pass pass);

    std::span<const std::unique_ptr<Lane>> m_lanes;
    std::size_t m_processes;
    std::size_t m_rank;
    GradientExchange* m_exchange;
    std::vector<double> m_sums;      ///< of each lane, at one node
    std::vector<double> m_sumsOfAll; ///< of each process
};

} // namespace cannery::plan
