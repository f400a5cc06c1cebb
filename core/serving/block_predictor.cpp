// SPDX-License-Identifier: Apache-2.0
#include "core/serving/block_predictor.h"

#include "core/features/encode_scratch.h"
#include "core/plan/forward_pass.h"
#include "core/plan/inference.h"
#include "kernels/device/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <optional>

namespace cannery::serving {

namespace {

/// A thread's own memory.
struct PredictionWorker
{
    features::EncodeScratch scratch;
    features::EncodedRows rows;
    std::unique_ptr<plan::ForwardPass> pass;
    std::vector<heads::Prediction> predictions;
};

/// The error of the first block that failed; blocks after it can be skipped.
class FirstFailure
{
public:
    bool isBefore(std::int64_t block) const
    {
        return m_block.load(std::memory_order_relaxed) < block;
    }
    void note(std::int64_t block, Error error)
    {
        const std::lock_guard lock(m_mutex);
        if (block < m_block.load(std::memory_order_relaxed)) {
            m_block.store(block, std::memory_order_relaxed);
            m_error = std::move(error);
        }
    }
    Result<void> outcome()
    {
        return m_error ? tl::make_unexpected(std::move(*m_error)) : Result<void>();
    }

private:
    std::atomic<std::int64_t> m_block{std::numeric_limits<std::int64_t>::max()};
    std::mutex m_mutex;
    std::optional<Error> m_error;
};

} // namespace

struct BlockPredictor::State
{
    State(const features::FeatureEncoder& ofModel, const BlockPredictorOptions& wanted)
        : encoder(ofModel), options(wanted), pool(wanted.threads),
          workers(static_cast<std::size_t>(wanted.threads))
    {}

    /// Calls predictBlock(firstRow, rowCount, block, worker) for every block.
    template <typename PredictBlock>
    Result<void> forEachBlock(std::int64_t rows, const PredictBlock& predictBlock)
    {
        FirstFailure failure;
        const auto run = [&](std::int64_t block, int worker) {
            if (failure.isBefore(block)) {
                return;
            }
            const std::int64_t first = block * options.blockRows;
            Result<void> done = predictBlock(first, std::min(options.blockRows, rows - first),
                                             block, workers[static_cast<std::size_t>(worker)]);
            if (!done) {
                failure.note(block, std::move(done.error()));
            }
        };
        pool.parallelFor((rows + options.blockRows - 1) / options.blockRows, run);
        return failure.outcome();
    }

    features::FeatureEncoder encoder;
    BlockPredictorOptions options;
    kernels::ThreadPool pool;
    std::vector<PredictionWorker> workers;
};

BlockPredictor::BlockPredictor(std::unique_ptr<State> state) : m_state(std::move(state)) {}
BlockPredictor::~BlockPredictor() = default;

Result<std::unique_ptr<BlockPredictor>>
BlockPredictor::create(const features::FeatureEncoder& encoder, plan::Model& model,
                       const BlockPredictorOptions& options)
{
    auto state = std::make_unique<State>(encoder, options);
    for (PredictionWorker& worker : state->workers) {
        CANNERY_TRY_ASSIGN(worker.pass, model.inference().createForwardPass(options.blockRows));
    }
    return std::unique_ptr<BlockPredictor>(new BlockPredictor(std::move(state)));
}

std::int64_t BlockPredictor::blockRows() const
{
    return m_state->options.blockRows;
}

std::int64_t BlockPredictor::blockCount(std::int64_t rows) const
{
    return (rows + blockRows() - 1) / blockRows();
}

Result<void> BlockPredictor::predict(const data::FeatureBatch& batch,
                                     std::span<const std::string> files, const Visitor& visit)
{
    return m_state->forEachBlock(batch.rowCount,
                                 [&](std::int64_t first, std::int64_t count, std::int64_t block,
                                     PredictionWorker& worker) -> Result<void> {
                                     CANNERY_TRY(m_state->encoder.encodeInputs(
                                         batch, first, count, files, worker.scratch, worker.rows));
                                     worker.pass->predict(worker.rows, worker.predictions);
                                     return visit({.rows = batch,
                                                   .firstRow = first,
                                                   .rowCount = count,
                                                   .predictions = worker.predictions},
                                                  block);
                                 });
}

Result<void> BlockPredictor::predict(const data::FeatureBatch& batch,
                                     std::span<const std::string> files, PredictedTable& table)
{
    table.blockRows = blockRows();
    table.blocks.resize(static_cast<std::size_t>(blockCount(batch.rowCount)));
    return m_state->forEachBlock(
        batch.rowCount,
        [&](std::int64_t first, std::int64_t count, std::int64_t block,
            PredictionWorker& worker) -> Result<void> {
            CANNERY_TRY(m_state->encoder.encodeInputs(batch, first, count, files, worker.scratch,
                                                      worker.rows));
            worker.pass->predict(worker.rows, table.blocks[static_cast<std::size_t>(block)]);
            return {};
        });
}

} // namespace cannery::serving
