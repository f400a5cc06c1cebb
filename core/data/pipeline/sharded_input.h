// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/file_shards.h"
#include "core/data/pipeline/pipeline.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace cannery::data {

/// How the shards of a step share the rows.
struct ShardedInputOptions
{
    PipelineOptions pipeline;
    std::int64_t shards = 1;
    std::int64_t first = 0; ///< shards wanted here: [first, first + count)
    std::int64_t count = 1;
    /// Every shard reads all rows in an order of its own (shard i's seed is i more); otherwise the
    /// batches of one order are dealt to the shards in turn, as TensorFlow deals them to replicas.
    bool ownSeed = false;
    /// One for each shard, which reads its files alone, in an order of its own; null: all rows are
    /// for all shards.
    std::shared_ptr<const FileShards> files;
};

/// A batch for each shard of each step: a pure function of the options and the position, whoever
/// computes which shard. A last step with fewer batches than shards is dropped, as in TensorFlow.
/// One thread.
class ShardedInput
{
public:
    explicit ShardedInput(const ShardedInputOptions& options, InputPosition start = {});

    /// Fills `batches` with the row numbers of the wanted shards' next batches and returns the
    /// number of rows of all shards; 0 after the last complete step, without moving.
    std::int64_t next(std::vector<std::vector<std::int64_t>>& batches);

    /// Where the next step begins. With files, that of the first shard, from which those of the
    /// others follow: all have taken the same number of batches.
    InputPosition position() const { return m_pipelines.front().position(); }
    void moveTo(InputPosition position);
    const PipelineOptions& options() const { return m_options.pipeline; }
    /// Passes over the rows, of the first shard if each has its own.
    double epochs() const;
    /// After the end: the batches that did not fill a step.
    std::int64_t droppedBatches() const { return m_dropped; }

private:
    Pipeline& pipelineOf(std::int64_t shard);
    std::int64_t nextOf(std::int64_t shard, std::vector<std::vector<std::int64_t>>& batches);

    ShardedInputOptions m_options;
    std::vector<Pipeline> m_pipelines; ///< one, or one per shard
    std::int64_t m_dropped = 0;
};

} // namespace cannery::data
