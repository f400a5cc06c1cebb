// SPDX-License-Identifier: Apache-2.0
#include "core/plan/lane.h"

#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <bit>

namespace cannery::plan {

namespace {

/// One block of the dense parts of these lanes, on one thread.
void sumBlock(std::span<const std::unique_ptr<Lane>> lanes, kernels::BlockRange block,
              kernels::ThreadPool& thread)
{
    if (lanes.size() < 2) {
        return;
    }
    const auto left = static_cast<std::size_t>(leftPart(static_cast<std::int64_t>(lanes.size())));
    sumBlock(lanes.first(left), block, thread);
    sumBlock(lanes.subspan(left), block, thread);
    const auto part = [&](std::size_t lane) {
        return lanes[lane]->network().gradients().denseParts().subspan(
            static_cast<std::size_t>(block.first), static_cast<std::size_t>(block.count));
    };
    kernels::vectorKernels().axpy(thread, 1.0F, part(left), part(0));
}

void sumSparse(std::span<const std::unique_ptr<Lane>> lanes, std::size_t part,
               kernels::SparseScratch& scratch)
{
    if (lanes.size() < 2) {
        return;
    }
    const auto left = static_cast<std::size_t>(leftPart(static_cast<std::int64_t>(lanes.size())));
    sumSparse(lanes.first(left), part, scratch);
    sumSparse(lanes.subspan(left), part, scratch);
    addSparsePart(lanes[0]->network().gradients().sparseParts()[part],
                  *lanes[left]->network().gradients().sparseParts()[part].gradient, scratch,
                  lanes[0]->spare(part));
}

/// HeadBatch::parts of a shard.
double partsOf(const ShardStep& step, const features::EncodedRows& batch)
{
    if (batch.labelOffsets.empty()) {
        return static_cast<double>(step.sharding.total);
    }
    const std::int64_t own = batch.labelOffsets.back();
    std::int64_t all = 0;
    for (const features::EncodedRows& shard : step.batches) {
        all += shard.labelOffsets.back();
    }
    return own == 0 ? 1.0 : static_cast<double>(all) / static_cast<double>(own);
}

} // namespace

std::int64_t leftPart(std::int64_t count)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(count - 1)));
}

/// A power of two, so that what a lane adds up is a subtree of the step's tree: its bits do not
/// depend on the number of lanes.
std::int64_t shardsPerLane(std::int64_t count, int threads)
{
    const std::int64_t lanes = std::min<std::int64_t>(count, threads);
    return static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>((count + lanes - 1) / lanes)));
}

heads::HeadBatch headBatch(const features::EncodedRows& batch, const heads::Head& head,
                           kernels::ConstMatrixView logits)
{
    heads::HeadBatch result{.logits = logits};
    result.labels =
        kernels::matrixView(std::span<const float>(batch.labels), logits.rows, head.labelWidth());
    if (head.weightWidth() > 0) {
        result.weights = kernels::matrixView(std::span<const float>(batch.weights), logits.rows,
                                             head.weightWidth());
    }
    return result;
}

void addSparsePart(const SparsePart& left, const kernels::SparseGradient& right,
                   kernels::SparseScratch& scratch, kernels::SparseGradient& spare)
{
    kernels::addSparse(*left.gradient, right, left.tableRows, scratch, spare);
    std::swap(*left.gradient, spare);
}

Lane::Lane(std::unique_ptr<Network> network, std::unique_ptr<heads::Head> head)
    : m_network(std::move(network)), m_head(std::move(head))
{}

void Lane::ownThreads(int count)
{
    m_pool = std::make_unique<kernels::ThreadPool>(count);
    m_workers = std::vector<layers::Worker>(static_cast<std::size_t>(count));
}

LaneThreads Lane::threads(LaneThreads all, int worker)
{
    if (m_pool != nullptr) {
        return {*m_pool, m_workers};
    }
    const std::span<layers::Worker> alone =
        all.workers.subspan(static_cast<std::size_t>(worker), 1);
    return {alone.front().pool, alone};
}

void Lane::prepare(Variables& variables, std::int64_t maxRows, std::int64_t shards)
{
    m_network->prepare(variables, maxRows);
    m_head->reserve(maxRows);
    m_rowWeights.reserve(static_cast<std::size_t>(maxRows));
    for (layers::Worker& worker : m_workers) {
        worker.scratch.reserve(maxRows);
    }
    const std::size_t parts = m_network->gradients().sparseParts().size();
    // One for each level of the tree: add() puts aside at most one sum a level.
    m_sums.resize(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(shards - 1))));
    for (Sum& sum : m_sums) {
        sum.dense.resize(m_network->gradients().denseParts().size());
        sum.sparse.resize(parts);
    }
    m_spares.resize(parts);
}

/// While the last shard of a lane goes back: adds to its packs what the other shards have put
/// aside, and lets them go.
class Lane::Sender : public BackwardListener
{
public:
    Sender(Lane& lane, LaneThreads threads, std::size_t depth, const Departure& departure)
        : m_lane(lane), m_threads(threads), m_depth(depth), m_departure(departure)
    {}

    void nodeDone(std::size_t node) override
    {
        const std::span<const Pack> packs = m_departure.packs;
        // Packs are ordered from the last node to the first, as the pass goes.
        for (; m_next < packs.size() && packs[m_next].node >= node; ++m_next) {
            const Pack& pack = packs[m_next];
            for (std::size_t depth = m_depth; depth-- > 0;) {
                m_lane.addBackDense(m_lane.m_sums[depth], m_threads, pack.first, pack.count);
            }
            m_departure.exchange.begin(
                m_lane.network().gradients().denseParts().subspan(
                    static_cast<std::size_t>(pack.first), static_cast<std::size_t>(pack.count)),
                m_next + 1 == packs.size());
        }
    }

private:
    Lane& m_lane;
    LaneThreads m_threads;
    std::size_t m_depth; ///< of the shard in the tree
    const Departure& m_departure;
    std::size_t m_next = 0;
};

layers::StepContext Lane::contextOf(const ShardStep& step, LaneThreads threads,
                                    std::int64_t index) const
{
    const Sharding& sharding = step.sharding;
    return {.pool = threads.pool,
            .workers = threads.workers,
            .mode = layers::Mode::Train,
            .rows = step.batches[static_cast<std::size_t>(index)].rowCount,
            .seed = step.seed,
            .step = step.step,
            .firstRow = static_cast<std::uint64_t>((sharding.first + index) * sharding.batchRows),
            .stepRows = step.batches[static_cast<std::size_t>(index)].rowCount * sharding.total,
            .isAcross = sharding.isAcross};
}

void Lane::computeLoss(const ShardStep& step, const layers::StepContext& context,
                       std::int64_t index)
{
    const features::EncodedRows& batch = step.batches[static_cast<std::size_t>(index)];
    heads::HeadBatch forHead =
        headBatch(batch, *m_head, m_network->valuesOf(step.logits, batch.rowCount));
    forHead.parts = partsOf(step, batch);
    if (!step.classWeights.empty()) {
        weighByClass(batch, step.classWeights, m_rowWeights);
        forHead.weights =
            kernels::matrixView(std::span<const float>(m_rowWeights), forHead.logits.rows, 1);
    }
    const TraceSpan span(m_network->trace(), TracePhase::Loss, "head", "loss");
    m_loss =
        m_head->loss(context.pool, forHead, m_network->gradientOf(step.logits, batch.rowCount));
    std::ranges::fill(m_network->gradients().stepFacts(), 0.0F);
    const bool countsSteps = !batch.labelOffsets.empty() && m_head->lossIsMean();
    const double share =
        countsSteps ? static_cast<double>(step.sharding.total) / forHead.parts : 1.0;
    m_penalty = m_network->penalty(context);
    m_network->gradients().stepFacts()[kLosses] = static_cast<float>(m_loss * share + m_penalty);
    m_loss += m_penalty;
}

void Lane::goBack(const layers::StepContext& context, std::size_t first, std::size_t end,
                  std::size_t depth, const Departure* departure)
{
    if (departure == nullptr) {
        m_network->backward(context, first, end, nullptr);
        return;
    }
    Sender sender(*this, {context.pool, context.workers}, depth, *departure);
    m_network->backward(context, first, end, &sender);
}

void Lane::compute(const ShardStep& step, LaneThreads threads, std::int64_t index,
                   std::size_t depth, const Departure* departure)
{
    m_network->bindInputs(step.batches[static_cast<std::size_t>(index)]);
    const layers::StepContext context = contextOf(step, threads, index);
    m_network->forward(context);
    computeLoss(step, context, index);
    goBack(context, 0, m_network->nodeCount(), depth, departure);
}

/// From right to left, so that the buffers of the first shard remain for summaries.
void Lane::add(const ShardStep& step, LaneThreads threads, std::int64_t first, std::int64_t count,
               std::size_t depth, const Departure* departure)
{
    if (count == 1) {
        compute(step, threads, first, depth, departure);
        return;
    }
    const std::int64_t left = leftPart(count);
    // Gradients leave only from the shard that is computed last, when all others are put aside.
    add(step, threads, first + left, count - left, depth + 1, nullptr);
    putAside(m_sums[depth]);
    add(step, threads, first, left, depth + 1, departure);
    if (departure == nullptr) {
        addBackDense(m_sums[depth], threads, 0, m_network->gradients().denseSize());
    }
    addBackSparse(m_sums[depth], threads);
}

void Lane::run(const ShardStep& step, LaneThreads threads, std::int64_t first, std::int64_t count,
               const Departure* departure)
{
    add(step, threads, first, count, 0, departure);
}

void Lane::putAside(Sum& sum)
{
    std::ranges::copy(m_network->gradients().denseParts(), sum.dense.begin());
    for (std::size_t part = 0; part < sum.sparse.size(); ++part) {
        std::swap(*m_network->gradients().sparseParts()[part].gradient, sum.sparse[part]);
    }
}

void Lane::addBackDense(Sum& sum, LaneThreads threads, std::int64_t first, std::int64_t count)
{
    const auto begin = static_cast<std::size_t>(first);
    const auto size = static_cast<std::size_t>(count);
    kernels::vectorKernels().axpy(threads.pool, 1.0F, std::span(sum.dense).subspan(begin, size),
                                  m_network->gradients().denseParts().subspan(begin, size));
}

void Lane::addBackSparse(Sum& sum, LaneThreads threads)
{
    for (std::size_t part = 0; part < sum.sparse.size(); ++part) {
        addSparsePart(m_network->gradients().sparseParts()[part], sum.sparse[part],
                      threads.workers.front().scratch, m_spares[part]);
    }
}

void sumLanes(std::span<const std::unique_ptr<Lane>> lanes, LaneThreads threads)
{
    if (lanes.size() < 2) {
        return;
    }
    const auto values =
        static_cast<std::int64_t>(lanes[0]->network().gradients().denseParts().size());
    kernels::forEachBlock(
        threads.pool, values, kernels::kBlockElements, [&](kernels::BlockRange block, int worker) {
            sumBlock(lanes, block, threads.workers[static_cast<std::size_t>(worker)].pool);
        });
    const auto one = [&](std::int64_t part, int worker) {
        sumSparse(lanes, static_cast<std::size_t>(part),
                  threads.workers[static_cast<std::size_t>(worker)].scratch);
    };
    const auto parts =
        static_cast<std::int64_t>(lanes[0]->network().gradients().sparseParts().size());
    if (parts > 0) {
        threads.pool.parallelFor(parts, one);
    }
}

} // namespace cannery::plan
