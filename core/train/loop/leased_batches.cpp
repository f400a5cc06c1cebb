// SPDX-License-Identifier: Apache-2.0
#include "core/train/loop/leased_batches.h"

#include <algorithm>

namespace cannery::train {

LeasedBatches::LeasedBatches(const data::PipelineOptions& options, data::InputPosition start)
    : m_options(options), m_begin(start.epoch * options.rows + start.offset)
{}

std::int64_t LeasedBatches::count() const
{
    if (m_options.numEpochs == 0) {
        return -1;
    }
    const std::int64_t rows = std::max<std::int64_t>(0, allRows() - m_begin);
    const bool hasShort = rows % m_options.batchSize != 0 && !m_options.dropRemainder;
    return rows / m_options.batchSize + (hasShort ? 1 : 0);
}

data::InputPosition LeasedBatches::positionOf(std::int64_t batch) const
{
    std::int64_t row = m_begin + batch * m_options.batchSize;
    if (m_options.numEpochs > 0) {
        row = std::min(row, std::max(m_begin, allRows()));
    }
    return {.epoch = row / m_options.rows, .offset = row % m_options.rows};
}

} // namespace cannery::train
