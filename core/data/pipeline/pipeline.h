// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/data/rows/keyed_permutation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::data {

struct PipelineOptions
{
    std::int64_t rows = 0; ///< in the dataset; at least 1
    std::int64_t batchSize = 128;
    bool shuffle = false;       ///< a keyed permutation per epoch; otherwise file order
    std::uint64_t seed = 0;     ///< of the permutations
    std::int64_t numEpochs = 0; ///< unlimited if 0
    bool dropRemainder = false; ///< drop a short last batch

    bool operator==(const PipelineOptions&) const = default;
};

/// The position of the input: the next row is at `offset` in the order of `epoch`.
struct InputPosition
{
    std::int64_t epoch = 0;
    std::int64_t offset = 0; ///< in [0, rows)

    bool operator==(const InputPosition&) const = default;
};

/// Which rows go into which batch: repeat, then batch, as in make_csv_dataset, so a batch may cross
/// the end of an epoch. The order is a pure function of (seed, epoch): a pipeline set to a position
/// continues exactly like one that reached it. One thread.
class Pipeline
{
public:
    explicit Pipeline(const PipelineOptions& options, InputPosition start = {});

    /// Fills `rows` with the row numbers of the next batch; false after the last epoch. Allocates
    /// nothing once `rows` has grown to the batch size.
    bool next(std::vector<std::int64_t>& rows);
    /// Passes over the next batch and returns its number of rows; 0 after the last epoch.
    std::int64_t skip();

    /// Where the next batch begins.
    InputPosition position() const { return m_position; }
    void moveTo(InputPosition position) { m_position = position; }
    const PipelineOptions& options() const { return m_options; }
    /// Number of batches from the start; unlimited if -1.
    std::int64_t batchCount() const;

private:
    const KeyedPermutation& orderOf(std::int64_t epoch);

    PipelineOptions m_options;
    InputPosition m_position;
    KeyedPermutation m_order; ///< of one epoch
    std::int64_t m_epochOfOrder = -1;
};

/// The sidecar of a checkpoint: the position, with the size, order and seed it belongs to.
std::string toText(const PipelineOptions& options, InputPosition position);

/// Reads a sidecar. If the number of rows, the shuffle or the seed has changed since, the position
/// is meaningless: FailedPrecondition says what differs.
Result<InputPosition> positionFromText(std::string_view text, const PipelineOptions& options);

} // namespace cannery::data
