// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/encoded_rows.h"
#include "core/heads/head.h"
#include "core/plan/class_weights.h"
#include "core/plan/gradient_exchange.h"
#include "core/plan/network.h"
#include "core/plan/sharding.h"
#include "core/plan/variables.h"

#include <memory>
#include <span>
#include <vector>

namespace cannery::plan {

/// The batch as its head sees it.
heads::HeadBatch headBatch(const features::EncodedRows& batch, const heads::Head& head,
                           kernels::ConstMatrixView logits);

/// What the shards of one step share.
struct ShardStep
{
    std::span<const features::EncodedRows> batches; ///< of this process
    Sharding sharding;
    graph::ValueId logits = -1;
    std::span<const ClassWeight> classWeights; ///< may be empty
    std::uint64_t seed = 0;
    std::uint64_t step = 0;
};

/// Where the sums of a lane go, pack by pack, as they become complete.
struct Departure
{
    GradientExchange& exchange;
    std::span<const Pack> packs;
};

/// Threads that compute shards.
struct LaneThreads
{
    kernels::ThreadPool& pool;
    std::span<layers::Worker> workers; ///< one per thread
};

/// The network with buffers of its own over the model's weights: computes some shards of a step,
/// one after the other, and adds up their gradients. One thread controls it at a time.
class Lane
{
public:
    Lane(std::unique_ptr<Network> network, std::unique_ptr<heads::Head> head);

    /// For batches of at most this many rows, and this many shards.
    void prepare(Variables& variables, std::int64_t maxRows, std::int64_t shards);
    /// Gives the lane threads of its own.
    void ownThreads(int count);
    /// Those, or for a lane without: this worker of all threads, alone.
    LaneThreads threads(LaneThreads all, int worker);

    /// Computes batches [first, first + count). Their sum is in network(), as are the values of the
    /// first of them; network().gradients().stepFacts() has the sum of their losses and their
    /// number. `departure`: begins every pack of the sum; may be null.
    void run(const ShardStep& step, LaneThreads threads, std::int64_t first, std::int64_t count,
             const Departure* departure = nullptr);
    /// The parts of run() for a single batch: a context of its passes, what is between them, and a
    /// part of the backward pass (see Network::backward; departure as in run()).
    layers::StepContext contextOf(const ShardStep& step, LaneThreads threads,
                                  std::int64_t index) const;
    void computeLoss(const ShardStep& step, const layers::StepContext& context, std::int64_t index);
    void goBack(const layers::StepContext& context, std::size_t first, std::size_t end,
                const Departure* departure)
    {
        goBack(context, first, end, 0, departure);
    }
    /// Of the first batch of the last run, not rounded to a float.
    double firstLoss() const { return m_loss; }
    /// What of it is the penalty of layers' outputs.
    double firstPenalty() const { return m_penalty; }

    Network& network() { return *m_network; }
    heads::Head& head() { return *m_head; }
    kernels::SparseGradient& spare(std::size_t part) { return m_spares[part]; }

private:
    /// The sum of some shards, put aside.
    struct Sum
    {
        std::vector<float> dense;
        std::vector<kernels::SparseGradient> sparse;
    };
    class Sender;
    void compute(const ShardStep& step, LaneThreads threads, std::int64_t index, std::size_t depth,
                 const Departure* departure);
    void goBack(const layers::StepContext& context, std::size_t first, std::size_t end,
                std::size_t depth, const Departure* departure);
    void add(const ShardStep& step, LaneThreads threads, std::int64_t first, std::int64_t count,
             std::size_t depth, const Departure* departure);
    void putAside(Sum& sum);
    void addBackDense(Sum& sum, LaneThreads threads, std::int64_t first, std::int64_t count);
    void addBackSparse(Sum& sum, LaneThreads threads);

    std::unique_ptr<Network> m_network;
    std::unique_ptr<heads::Head> m_head;
    std::unique_ptr<kernels::ThreadPool> m_pool; ///< null: the model's
    std::vector<layers::Worker> m_workers;
    std::vector<Sum> m_sums;                       ///< by depth in the tree
    std::vector<kernels::SparseGradient> m_spares; ///< by sparse part: an intermediate sum
    std::vector<float> m_rowWeights;               ///< of a batch, with those of classes
    double m_loss = 0;
    double m_penalty = 0;
};

/// Adds up the sums of lanes with equally many shards each (the last may have fewer): the result is
/// in the first one.
void sumLanes(std::span<const std::unique_ptr<Lane>> lanes, LaneThreads threads);

/// left = left + right; `spare` is working memory.
void addSparsePart(const SparsePart& left, const kernels::SparseGradient& right,
                   kernels::SparseScratch& scratch, kernels::SparseGradient& spare);

} // namespace cannery::plan
