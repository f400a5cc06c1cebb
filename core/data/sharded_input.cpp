// SPDX-License-Identifier: Apache-2.0
#include "core/data/sharded_input.h"

#include "core/base/check.h"

namespace cannery::data {

ShardedInput::ShardedInput(const ShardedInputOptions& options, InputPosition start)
    : m_options(options)
{
    CANNERY_CHECK(options.count >= 1 && options.first + options.count <= options.shards);
    for (std::int64_t shard = 0; shard < (options.ownSeed ? options.shards : 1); ++shard) {
        PipelineOptions own = options.pipeline;
        own.seed += static_cast<std::uint64_t>(shard);
        m_pipelines.emplace_back(own, start);
    }
}

/// The rows of a shard's next batch, which only the wanted shards need in full.
std::int64_t ShardedInput::nextOf(std::int64_t shard,
                                  std::vector<std::vector<std::int64_t>>& batches)
{
    Pipeline& pipeline =
        m_pipelines[m_options.ownSeed ? static_cast<std::size_t>(shard) : std::size_t{0}];
    const std::int64_t wanted = shard - m_options.first;
    if (wanted < 0 || wanted >= m_options.count) {
        return pipeline.skip();
    }
    std::vector<std::int64_t>& rows = batches[static_cast<std::size_t>(wanted)];
    pipeline.next(rows);
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
            moveTo(before);
            return 0;
        }
        all += rows;
    }
    return all;
}

void ShardedInput::moveTo(InputPosition position)
{
    for (Pipeline& pipeline : m_pipelines) {
        pipeline.moveTo(position);
    }
}

} // namespace cannery::data
