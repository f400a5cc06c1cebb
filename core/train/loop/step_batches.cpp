// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/step_batches.h"

#include <utility>

namespace cannery::train {

StepBatches::StepBatches(StepBatchesOptions options)
    : m_options(std::move(options)), m_batches(static_cast<std::size_t>(m_options.shards)),
      m_nextBatches(m_batches.size()), m_gatherings(m_batches.size()),
      m_gatherBlock([this](std::int64_t block) { gatherBlock(block); })
{}

StepBatches::~StepBatches()
{
    static_cast<void>(finish());
}

Result<std::int64_t> StepBatches::take()
{
    std::optional<Ahead> ahead = std::exchange(m_ahead, std::nullopt);
    CANNERY_TRY(finish());
    if (!ahead || ahead->begin != m_options.input->position()) {
        ahead = begin();
        CANNERY_TRY(finish());
    }
    if (ahead->rows == 0) {
        return 0;
    }
    m_options.input->moveTo(ahead->end);
    if (!ahead->areSame) {
        std::swap(m_batches, m_nextBatches);
        std::swap(m_taken, m_nextRows);
    }
    return ahead->rows;
}

void StepBatches::prepareNext()
{
    if (m_options.idle.offer) {
        m_ahead = begin();
    }
}

Result<void> StepBatches::replaceFirst(const std::vector<std::int64_t>& rows)
{
    m_taken.resize(m_batches.size());
    if (m_taken.front() != rows || rows.empty()) {
        CANNERY_TRY(m_options.rows->gather(rows, m_batches.front()));
        m_taken.front() = rows;
    }
    return {};
}

/// Begins to gather the batches at the input's position; finish() ends that.
StepBatches::Ahead StepBatches::begin()
{
    data::ShardedInput& input = *m_options.input;
    Ahead ahead;
    ahead.begin = input.position();
    ahead.rows = input.next(m_nextRows);
    ahead.end = input.position();
    input.moveTo(ahead.begin);
    ahead.areSame = m_nextRows == m_taken;
    if (ahead.rows == 0 || ahead.areSame) {
        return ahead;
    }
    std::int64_t blocks = 0;
    for (std::size_t shard = 0; shard < m_nextBatches.size(); ++shard) {
        features::BatchGathering& gathering =
            m_gatherings[shard].emplace(*m_options.rows, m_nextRows[shard], m_nextBatches[shard]);
        blocks += gathering.blockCount();
    }
    if (m_options.idle.offer) {
        m_options.idle.offer(blocks, m_gatherBlock);
        return ahead;
    }
    for (std::int64_t block = 0; block < blocks; ++block) {
        gatherBlock(block);
    }
    return ahead;
}

/// A block of one of the batches, numbered one batch after the other.
void StepBatches::gatherBlock(std::int64_t block)
{
    for (std::optional<features::BatchGathering>& gathering : m_gatherings) {
        if (block < gathering->blockCount()) {
            gathering->gatherBlock(block);
            return;
        }
        block -= gathering->blockCount();
    }
}

Result<void> StepBatches::finish()
{
    if (m_options.idle.finish) {
        m_options.idle.finish();
    }
    Result<void> all;
    for (std::optional<features::BatchGathering>& gathering : m_gatherings) {
        if (gathering) {
            Result<void> one = gathering->finish();
            all = all ? std::move(one) : std::move(all);
            gathering.reset();
        }
    }
    return all;
}

} // namespace cannery::train
