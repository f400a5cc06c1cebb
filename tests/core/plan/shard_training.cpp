// SPDX-License-Identifier: Apache-2.0
#include "tests/core/plan/shard_training.h"

#include "tests/support/thread_checks.h"

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>

namespace cannery::tests {

Batches shardBatches(std::int64_t step, std::int64_t first, std::int64_t count)
{
    Batches batches;
    for (std::int64_t shard = first; shard < first + count; ++shard) {
        batches.push_back(toyRows(kShardRows, static_cast<std::uint64_t>(step * 1000 + shard)));
    }
    return batches;
}

void ProcessGroup::sum(std::size_t member, const std::vector<std::span<float>>& packs,
                       std::span<const plan::SparsePart> sparse)
{
    m_members[member] = {packs, sparse, {}};
    m_barrier.arrive_and_wait();
    if (member == 0) {
        add(0, m_members.size());
    }
    m_barrier.arrive_and_wait();
    if (member != 0) {
        for (std::size_t pack = 0; pack < packs.size(); ++pack) {
            std::ranges::copy(m_members[0].packs[pack], packs[pack].begin());
        }
        for (std::size_t part = 0; part < sparse.size(); ++part) {
            *sparse[part].gradient = *m_members[0].sparse[part].gradient;
        }
    }
    m_barrier.arrive_and_wait();
}

void ProcessGroup::gather(std::size_t member, std::span<double> all)
{
    m_members[member].gathered = all;
    m_barrier.arrive_and_wait();
    const std::size_t count = all.size() / m_members.size();
    for (std::size_t other = 0; other < m_members.size(); ++other) {
        const bool isSame = m_members[other].gathered.size() == all.size();
        THREAD_VERIFY(isSame);
        if (isSame && other != member) {
            std::ranges::copy(m_members[other].gathered.subspan(other * count, count),
                              all.subspan(other * count, count).begin());
        }
    }
    m_barrier.arrive_and_wait();
}

void ProcessGroup::whenLost(std::size_t member, std::function<void()> lost)
{
    const std::scoped_lock lock(m_mutex);
    m_lost[member] = std::move(lost);
}

void ProcessGroup::lose()
{
    const std::scoped_lock lock(m_mutex);
    for (const std::function<void()>& lost : m_lost) {
        if (lost) {
            lost();
        }
    }
}

void ProcessGroup::add(std::size_t first, std::size_t count)
{
    if (count == 1) {
        return;
    }
    const std::size_t left = count / 2; // powers of two only
    add(first, left);
    add(first + left, left);
    Member& a = m_members[first];
    const Member& b = m_members[first + left];
    THREAD_VERIFY(a.packs.size() == b.packs.size());
    if (a.packs.size() != b.packs.size()) {
        return;
    }
    for (std::size_t pack = 0; pack < a.packs.size(); ++pack) {
        std::ranges::transform(a.packs[pack], b.packs[pack], a.packs[pack].begin(), std::plus<>());
    }
    for (std::size_t part = 0; part < a.sparse.size(); ++part) {
        kernels::SparseScratch scratch;
        kernels::SparseGradient sum;
        kernels::addSparse(*a.sparse[part].gradient, *b.sparse[part].gradient,
                           a.sparse[part].tableRows, scratch, sum);
        *a.sparse[part].gradient = sum;
    }
}

Result<void> GroupExchange::gather(std::span<double> all)
{
    THREAD_VERIFY(m_packs.empty());
    m_group->gather(m_member, all);
    return {};
}

Result<void> GroupExchange::finish(std::span<const plan::SparsePart> sparse)
{
    m_group->sum(m_member, std::exchange(m_packs, {}), sparse);
    return {};
}

ShardOutcome shardsTrained(const ShardTraining& training, plan::GradientExchange* exchange,
                           std::int64_t first, std::int64_t count)
{
    count = count == 0 ? training.shards : count;
    auto made = toyModel(training.estimator, {.maxBatchSize = kShardRows,
                                              .threads = training.threads,
                                              .seed = 5,
                                              .sharding = {.total = training.shards,
                                                           .first = first,
                                                           .count = count,
                                                           .batchRows = kShardRows,
                                                           .isAcross = training.isAcross},
                                              .exchange = exchange});
    ShardOutcome outcome;
    THREAD_VERIFY(made.has_value());
    if (!made) {
        return outcome;
    }
    for (int step = 0; step < 5; ++step) {
        const auto loss = (*made)->train(shardBatches(step, first, count), step);
        const bool isTrained = loss && *loss;
        THREAD_VERIFY(isTrained);
        outcome.losses.push_back(isTrained ? **loss : 0);
    }
    outcome.state = allState(**made);
    return outcome;
}

ShardOutcome trainedByProcesses(const ShardTraining& training, std::size_t processes)
{
    ProcessGroup group(processes);
    std::vector<ShardOutcome> outcomes(processes);
    const ThreadReport report;
    {
        std::vector<std::jthread> threads;
        for (std::size_t member = 0; member < processes; ++member) {
            threads.emplace_back([&, member] {
                GroupExchange exchange(group, member);
                ShardTraining own = training;
                own.threads += static_cast<int>(member % 2);
                const std::int64_t count = training.shards / static_cast<std::int64_t>(processes);
                outcomes[member] =
                    shardsTrained(own, &exchange, static_cast<std::int64_t>(member) * count, count);
            });
        }
    }
    for (const ShardOutcome& outcome : outcomes) {
        THREAD_VERIFY(outcome == outcomes.front());
    }
    return outcomes.front();
}

} // namespace cannery::tests
