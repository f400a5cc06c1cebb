// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cannery/seen_values.h"
#include "core/data/count_table.h"
#include "core/features/encode_scratch.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::app {

/// A value of a hashed column, or a combination of values of a cross, that rows have.
struct HashedValue
{
    std::vector<SeenValue> values; ///< one per input
    std::uint64_t count = 0;       ///< how often it occurs
    std::int64_t bucket = 0;       ///< by the engine's hash
    bool isShared = false;         ///< another value that rows have is in the same bucket
    std::vector<double> means;     ///< of the label's targets
};

/// What a hashed or crossed column makes of the rows of a table.
struct HashedColumn
{
    std::string name;
    std::vector<std::string> inputs;
    std::int64_t buckets = 0;
    std::uint64_t occurrences = 0; ///< in all rows
    std::uint64_t distinct = 0;
    /// Occurrences of values beyond the first so many different ones, which are not told apart.
    std::uint64_t uncounted = 0;
    std::uint64_t bucketsUsed = 0;
    std::uint64_t shared = 0;            ///< different values that share their bucket
    std::uint64_t sharedOccurrences = 0; ///< of these
    std::vector<HashedValue> values;     ///< the most frequent ones, in that order
    std::string problem;                 ///< why nothing is known, a sentence; usually empty
};

/// Counts the values of one hashed or crossed column exactly, up to a limit of different ones, with
/// the means of the label's targets for each. One thread.
class HashedValues
{
public:
    /// `limit`: different values that are told apart. Errors: those of the column.
    static Result<HashedValues> create(const spec::FeatureColumn& spec,
                                       features::ColumnBuilder& builder, std::size_t limit);

    /// `targets`: as many numbers of the label for each row as in every other call, or none.
    Result<void> add(const features::RawRows& rows, std::span<const float> targets);

    /// With at most `listed` of the most frequent values.
    HashedColumn result(std::size_t listed) const;

private:
    Result<void> readInputs(const features::RawRows& rows);
    void addOne(std::int64_t row, std::int64_t combination, std::int64_t bucket,
                std::span<const float> targets);
    HashedValue valueAt(const data::CountTable::Slot& slot) const;

    /// What is kept of a value that is told apart.
    struct Kept
    {
        std::vector<SeenValue> values;
        std::int64_t bucket = 0;
    };

    std::string m_name;
    features::ColumnPointer m_column;
    std::size_t m_limit = 0;
    std::vector<SeenValues> m_inputs; ///< in the order written
    std::vector<std::size_t> m_order; ///< in which they are hashed
    std::vector<std::int64_t> m_places;
    features::EncodeScratch m_scratch;
    features::IdRows m_ids;
    data::CountTable m_counts; ///< the tag of a slot is its place in m_kept
    std::vector<Kept> m_kept;
    std::size_t m_targets = 0;
    std::vector<double> m_sums; ///< m_kept × m_targets
    std::uint64_t m_occurrences = 0;
    std::uint64_t m_uncounted = 0;
};

} // namespace cannery::app
