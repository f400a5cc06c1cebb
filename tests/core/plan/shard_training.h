// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/gradient_exchange.h"
#include "tests/core/plan/toy_model.h"

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cannery::tests {

using Batches = std::vector<features::EncodedRows>;

/// Two normalizations, embeddings below them, masks between them, and a tower without any.
inline constexpr char kWide[] =
    "dnn_linear_combined_classifier { linear_feature_columns: ['one', 'x'] linear_optimizer { ftrl "
    "{ learning_rate: 0.1 } } dnn_feature_columns: ['both', 'x', 'one_hot'] dnn_hidden_units: [8, "
    "4] dnn_dropout: 0.2 batch_norm: true dnn_optimizer { adam { learning_rate: 0.01 } } }";

/// Of a batch of shardBatches().
inline constexpr std::int64_t kShardRows = 37;

/// Rows of toyRows(), other ones for each shard of each step.
Batches shardBatches(std::int64_t step, std::int64_t first, std::int64_t count);

/// Processes of a cluster as threads: sums as the shards of one process are summed.
class ProcessGroup
{
public:
    explicit ProcessGroup(std::size_t size)
        : m_members(size), m_barrier(static_cast<std::ptrdiff_t>(size)), m_lost(size)
    {}

    void sum(std::size_t member, const std::vector<std::span<float>>& packs,
             std::span<const plan::SparsePart> sparse);
    void gather(std::size_t member, std::span<double> all);
    void whenLost(std::size_t member, std::function<void()> lost);
    /// Tells all members that one of them is lost.
    void lose();

private:
    struct Member
    {
        std::vector<std::span<float>> packs;
        std::span<const plan::SparsePart> sparse;
        std::span<double> gathered;
    };

    void add(std::size_t first, std::size_t count);

    std::vector<Member> m_members;
    std::barrier<> m_barrier;
    std::mutex m_mutex;                        ///< for what follows
    std::vector<std::function<void()>> m_lost; ///< by member: called when another is lost
};

/// Small packs, so that toy models have several.
class GroupExchange : public plan::GradientExchange
{
public:
    GroupExchange(ProcessGroup& group, std::size_t member) : m_group(&group), m_member(member) {}

    Result<void> gather(std::span<double> all) override;
    plan::PackSizes packSizes() const override { return {.first = 100, .others = 300}; }
    void begin(std::span<float> pack, bool /*isLast*/) override { m_packs.push_back(pack); }
    Result<void> finish(std::span<const plan::SparsePart> sparse) override;
    void whenLost(std::function<void()> lost) override
    {
        m_group->whenLost(m_member, std::move(lost));
    }

private:
    ProcessGroup* m_group;
    std::size_t m_member;
    std::vector<std::span<float>> m_packs;
};

struct ShardOutcome
{
    std::vector<std::byte> state;
    std::vector<double> losses;

    bool operator==(const ShardOutcome&) const = default;
};

struct ShardTraining
{
    std::string estimator; ///< see toyModel()
    std::int64_t shards = 1;
    int threads = 1;
    bool isAcross = false;
};

/// Five steps of the shards of one process, of all if `count` is 0.
ShardOutcome shardsTrained(const ShardTraining& training,
                           plan::GradientExchange* exchange = nullptr, std::int64_t first = 0,
                           std::int64_t count = 0);

/// The same by several processes that share the shards. Every second one has one thread more. All
/// have the same outcome.
ShardOutcome trainedByProcesses(const ShardTraining& training, std::size_t processes);

} // namespace cannery::tests
