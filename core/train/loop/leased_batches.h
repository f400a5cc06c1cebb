// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/pipeline.h"

#include <cstdint>

namespace cannery::train {

/// The batches of a pipeline by number, counted from a position on.
class LeasedBatches
{
public:
    LeasedBatches(const data::PipelineOptions& options, data::InputPosition start);

    /// -1: unlimited.
    std::int64_t count() const;
    /// Where a batch begins; of the one after the last: the end.
    data::InputPosition positionOf(std::int64_t batch) const;

private:
    /// Rows of all epochs.
    std::int64_t allRows() const { return m_options.rows * m_options.numEpochs; }

    data::PipelineOptions m_options;
    std::int64_t m_begin; ///< row, counted over all epochs
};

} // namespace cannery::train
