// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

struct PipelineOptions
{
    std::int64_t rows = 0; ///< of the data set; at least 1
    std::int64_t batchSize = 128;
    bool shuffle = false;       ///< a keyed permutation for each epoch; otherwise file order
    std::uint64_t seed = 0;     ///< of the permutations
    std::int64_t numEpochs = 0; ///< 0: for ever
    bool dropRemainder = false; ///< leave out a short last batch

    bool operator==(const PipelineOptions&) const = default;
};

/// Where the input stands: the next row is the one at `offset` of the order of `epoch`.
struct InputPosition
{
    std::int64_t epoch = 0;
    std::int64_t offset = 0; ///< in [0, rows)

    bool operator==(const InputPosition&) const = default;
};

/// Which rows come in which batch: repeat, then batch, as make_csv_dataset does, so a batch may run
/// over the end of an epoch into the next one. Order is a pure function of (seed, epoch): a
/// pipeline set to a position goes on exactly as one that came there by itself. One thread.
class Pipeline
{
public:
    explicit Pipeline(const PipelineOptions& options, InputPosition start = {});

    /// Fills `rows` with the row numbers of the next batch; false when the last epoch has ended.
    /// Allocates nothing once `rows` has grown to the batch size.
    bool next(std::vector<std::int64_t>& rows);

    /// Where the next batch begins.
    InputPosition position() const { return m_position; }
    const PipelineOptions& options() const { return m_options; }
    /// Number of batches from the very beginning; -1: endless.
    std::int64_t batchCount() const;

private:
    PipelineOptions m_options;
    InputPosition m_position;
};

/// The sidecar of a checkpoint: the position, with the size, order and seed it belongs to.
std::string toText(const PipelineOptions& options, InputPosition position);

/// Reads a sidecar. When the number of rows, the shuffle or the seed changed since, the position
/// means nothing any more: FailedPrecondition says what differs.
Result<InputPosition> positionFromText(std::string_view text, const PipelineOptions& options);

} // namespace cannery::data
