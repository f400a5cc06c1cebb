// SPDX-License-Identifier: Apache-2.0
#include "core/data/pipeline/sharded_input.h"

#include "core/base/check.h"

#include <algorithm>
#include <limits>

namespace cannery::data {

ShardedInput::ShardedInput(const ShardedInputOptions& options, InputPosition start)
    : m_options(options)
{
    CANNERY_CHECK(options.count >= 1 && options.first + options.count <= options.shards);
    // Otherwise all shards take turns at one stream of batches.
    const bool areSeveral = options.ownSeed || options.files != nullptr;
    for (std::int64_t shard = 0; shard < (areSeveral ? options.shards : 1); ++shard) {
        PipelineOptions own = options.pipeline;
        // Each shard in an order of its own.
        own.seed += static_cast<std::uint64_t>(shard);
        if (options.files != nullptr) {
            own.rows = (*options.files)[static_cast<std::size_t>(shard)].rowCount();
        }
        m_pipelines.emplace_back(own);
    }
    moveTo(start);
}

Pipeline& ShardedInput::pipelineOf(std::int64_t shard)
{
    return m_pipelines[m_pipelines.size() > 1 ? static_cast<std::size_t>(shard) : 0];
}

double ShardedInput::epochs() const
{
    const InputPosition at = position();
    return static_cast<double>(at.epoch) +
           static_cast<double>(at.offset) / static_cast<double>(m_pipelines.front().options().rows);
}

/// The rows of a shard's next batch, which only the wanted shards need in full.
std::int64_t ShardedInput::nextOf(std::int64_t shard,
                                  std::vector<std::vector<std::int64_t>>& batches)
{
    Pipeline& pipeline = pipelineOf(shard);
    const std::int64_t wanted = shard - m_options.first;
    if (wanted < 0 || wanted >= m_options.count) {
        // Another task reads these rows; only their number matters here.
        return pipeline.skip();
    }
    std::vector<std::int64_t>& rows = batches[static_cast<std::size_t>(wanted)];
    pipeline.next(rows);
    if (m_options.files != nullptr) {
        (*m_options.files)[static_cast<std::size_t>(shard)].locate(rows);
    }
    return static_cast<std::int64_t>(rows.size());
}

std::int64_t ShardedInput::next(std::vector<std::vector<std::int64_t>>& batches)
{
    batches.resize(static_cast<std::size_t>(m_options.count));
    const InputPosition before = position();
    std::int64_t all = 0;
    for (std::int64_t shard = 0; shard < m_options.shards; ++shard) {
        const std::int64_t rows = nextOf(shard, batches);
        if (rows == 0) {
            m_dropped = shard;
            // A step is either whole or not taken: all go back to where they were.
            moveTo(before);
            return 0;
        }
        all += rows;
    }
    return all;
}

void ShardedInput::moveTo(InputPosition position)
{
    if (m_options.files == nullptr) {
        for (Pipeline& pipeline : m_pipelines) {
            pipeline.moveTo(position);
        }
        return;
    }
    const std::int64_t batchSize = m_options.pipeline.batchSize;
    const std::int64_t rows = m_pipelines.front().options().rows;
    // Of a table that has changed since, an offset may lie outside.
    // Shards have their own lengths, so the position is counted in batches.
    const std::int64_t taken = position.epoch * rows + std::min(position.offset, rows - 1);
    const std::int64_t batches = (taken + batchSize - 1) / batchSize;
    for (Pipeline& pipeline : m_pipelines) {
        const PipelineOptions& own = pipeline.options();
        const std::int64_t all =
            own.numEpochs > 0 ? own.numEpochs * own.rows : std::numeric_limits<std::int64_t>::max();
        // A shard that is over stays at its end.
        const std::int64_t done = std::min(batches * batchSize, all);
        pipeline.moveTo({.epoch = done / own.rows, .offset = done % own.rows});
    }
}

} // namespace cannery::data
