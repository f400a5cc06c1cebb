// SPDX-License-Identifier: Apache-2.0
#include "core/plan/lockstep.h"

#include "core/base/check.h"

#include <algorithm>
#include <ranges>

namespace cannery::plan {

namespace {

/// Parts of `count` numbers each: the result is in the first one.
void mergeTree(const layers::AcrossShards& layer, layers::Pass pass, std::span<double> parts,
               std::size_t count)
{
    if (parts.size() <= count) {
        return;
    }
    const auto left =
        count * static_cast<std::size_t>(leftPart(static_cast<std::int64_t>(parts.size() / count)));
    mergeTree(layer, pass, parts.first(left), count);
    mergeTree(layer, pass, parts.subspan(left), count);
    layer.merge(pass, parts.first(count), parts.subspan(left, count));
}

/// work(lane, context, index) for every lane.
template <typename Work>
void onLanes(std::span<const std::unique_ptr<Lane>> lanes, const ShardStep& step, LaneThreads all,
             const Work& work)
{
    if (lanes.size() == 1) {
        work(*lanes.front(), lanes.front()->contextOf(step, all, 0), 0);
        return;
    }
    const auto one = [&](std::int64_t index, int worker) {
        Lane& lane = *lanes[static_cast<std::size_t>(index)];
        work(lane, lane.contextOf(step, lane.threads(all, worker), index), index);
    };
    all.pool.parallelFor(static_cast<std::int64_t>(lanes.size()), one);
}

} // namespace

Lockstep::Lockstep(std::span<const std::unique_ptr<Lane>> lanes, const Sharding& sharding,
                   GradientExchange* exchange)
    : m_lanes(lanes), m_processes(static_cast<std::size_t>(sharding.total / sharding.count)),
      m_rank(static_cast<std::size_t>(sharding.first / sharding.count)), m_exchange(exchange)
{
    CANNERY_CHECK(static_cast<std::int64_t>(lanes.size()) == sharding.count);
}

std::size_t Lockstep::sumCount(std::size_t node) const
{
    return static_cast<std::size_t>(m_lanes.front()->network().acrossShards(node).sumCount());
}

std::span<double> Lockstep::sumsOf(std::size_t lane, std::size_t node)
{
    const std::size_t count = sumCount(node);
    return std::span(m_sums).subspan(lane * count, count);
}

std::span<double> Lockstep::sumsOfAll(std::size_t node)
{
    return std::span(m_sumsOfAll).first(m_processes * sumCount(node));
}

void Lockstep::prepare()
{
    std::size_t most = 0;
    for (const std::size_t node : m_lanes.front()->network().nodesAcrossShards()) {
        most = std::max(most, sumCount(node));
    }
    m_sums.resize(m_lanes.size() * most);
    m_sumsOfAll.resize(m_exchange != nullptr ? m_processes * most : 0);
}

Result<void> Lockstep::share(std::size_t node, layers::Pass pass)
{
    const std::size_t count = sumCount(node);
    const layers::AcrossShards& layer = m_lanes.front()->network().acrossShards(node);
    mergeTree(layer, pass, std::span(m_sums).first(m_lanes.size() * count), count);
    std::span<double> merged = sumsOf(0, node);
    if (m_exchange != nullptr) {
        const std::span<double> all = sumsOfAll(node);
        std::ranges::copy(merged, all.subspan(m_rank * count, count).begin());
        CANNERY_TRY(m_exchange->gather(all));
        mergeTree(layer, pass, all, count);
        merged = all.first(count);
    }
    for (const auto& lane : m_lanes) {
        lane->network().acrossShards(node).receive(pass, merged);
    }
    return {};
}

Result<void> Lockstep::run(const ShardStep& step, LaneThreads all, const Departure* departure)
{
    using layers::Pass;
    Network& network = m_lanes.front()->network();
    for (std::size_t lane = 0; lane < m_lanes.size(); ++lane) {
        m_lanes[lane]->network().bindInputs(step.batches[lane]);
    }
    std::size_t first = 0;
    for (const std::size_t node : network.nodesAcrossShards()) {
        onLanes(m_lanes, step, all, [&](Lane& lane, const auto& context, std::int64_t index) {
            lane.network().forward(context, first, node);
            lane.network().acrossShards(node).collect(
                context, Pass::Forward, sumsOf(static_cast<std::size_t>(index), node));
        });
        CANNERY_TRY(share(node, Pass::Forward));
        first = node;
    }
    std::size_t end = network.nodeCount();
    onLanes(m_lanes, step, all, [&](Lane& lane, const auto& context, std::int64_t index) {
        lane.network().forward(context, first, end);
        lane.computeLoss(step, context, index);
    });
    for (const std::size_t node : std::views::reverse(network.nodesAcrossShards())) {
        if (!network.goesBackThrough(node)) {
            continue;
        }
        onLanes(m_lanes, step, all, [&](Lane& lane, const auto& context, std::int64_t index) {
            lane.goBack(context, node + 1, end, nullptr);
            lane.network().acrossShards(node).collect(
                context, Pass::Backward, sumsOf(static_cast<std::size_t>(index), node));
        });
        CANNERY_TRY(share(node, Pass::Backward));
        end = node + 1;
    }
    onLanes(m_lanes, step, all, [&](Lane& lane, const auto& context, std::int64_t) {
        lane.goBack(context, 0, end, departure);
    });
    return {};
}

Result<void> Lockstep::abstain()
{
    const auto gatherNothing = [&](std::size_t node) -> Result<void> {
        const std::span<double> all = sumsOfAll(node);
        std::ranges::fill(all, 0.0);
        return m_exchange->gather(all);
    };
    Network& network = m_lanes.front()->network();
    for (const std::size_t node : network.nodesAcrossShards()) {
        CANNERY_TRY(gatherNothing(node));
    }
    for (const std::size_t node : std::views::reverse(network.nodesAcrossShards())) {
        if (network.goesBackThrough(node)) {
            CANNERY_TRY(gatherNothing(node));
        }
    }
    return {};
}

} // namespace cannery::plan
