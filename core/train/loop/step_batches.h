// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/lent_threads.h"
#include "core/data/pipeline/sharded_input.h"
#include "core/features/encoded_dataset.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace cannery::train {

struct StepBatchesOptions
{
    const features::EncodedDataset* rows = nullptr; ///< not null
    data::ShardedInput* input = nullptr;            ///< not null
    std::int64_t shards = 1;                        ///< of this process
    IdleThreads idle; ///< help, also while a step computes; may be empty
};

/// The batches of the steps of a training, one for each shard: those of the next step are gathered
/// by threads that wait while the current one computes. They are the same whoever gathers them. One
/// thread, which alone moves the input.
class StepBatches
{
public:
    explicit StepBatches(StepBatchesOptions options);
    ~StepBatches();
    StepBatches(const StepBatches&) = delete;
    StepBatches& operator=(const StepBatches&) = delete;

    /// Moves the input over the batches of a step, and all() to them; returns the rows of all
    /// shards, also those of other processes, or 0 at the end of the input. Errors: those of
    /// EncodedDataset::gather.
    Result<std::int64_t> take();
    /// Offers the batches after those that were taken to the idle threads, until take().
    void prepareNext();

    /// The first batch becomes that of these rows, which take() has not taken. Errors: those of
    /// EncodedDataset::gather.
    Result<void> replaceFirst(const std::vector<std::int64_t>& rows);

    /// What take() has taken.
    std::vector<features::EncodedRows>& all() { return m_batches; }
    const std::vector<features::EncodedRows>& all() const { return m_batches; }

private:
    using RowNumbers = std::vector<std::vector<std::int64_t>>;

    /// Batches that are being gathered, and where the input is before and after them.
    struct Ahead
    {
        data::InputPosition begin;
        data::InputPosition end;
        std::int64_t rows = 0; ///< 0: the input has ended
        bool areSame = false;  ///< as those that were taken, such as the whole table
    };

    Ahead begin();
    Result<void> finish();
    void gatherBlock(std::int64_t block);

    StepBatchesOptions m_options;
    std::vector<features::EncodedRows> m_batches;
    RowNumbers m_taken; ///< the rows of m_batches; empty before the first step
    std::optional<Ahead> m_ahead;
    std::vector<features::EncodedRows> m_nextBatches;
    RowNumbers m_nextRows;
    std::vector<std::optional<features::BatchGathering>> m_gatherings; ///< of m_nextBatches
    std::function<void(std::int64_t)> m_gatherBlock;
};

} // namespace cannery::train
