// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/count_table.h"
#include "core/features/encode_scratch.h"
#include "core/survey/seen_values.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace cannery::survey {

/// A value of a hashed column, or a combination of values of a cross, that occurs.
struct HashedValue
{
    std::vector<SeenValue> values; ///< one per input
    std::uint64_t count = 0;       ///< how often it occurs
    std::int64_t bucket = 0;       ///< by the engine's hash
    bool isShared = false;         ///< with another value that occurs
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
    /// Occurrences of values beyond the limit of distinct ones.
    std::uint64_t uncounted = 0;
    std::uint64_t bucketsUsed = 0;
    std::uint64_t shared = 0;            ///< distinct values that share their bucket
    std::uint64_t sharedOccurrences = 0; ///< of these
    std::vector<HashedValue> values;     ///< the most frequent ones, most frequent first
    std::string problem;                 ///< a sentence: why nothing is known; usually empty
};

/// Counts the values of one hashed or crossed column exactly, up to a limit of distinct ones, with
/// the means of the label's targets for each. One thread.
class HashedValues
{
public:
    /// `limit`: distinct values that are counted. Errors: those of the column.
    static Result<HashedValues> create(const spec::FeatureColumn& spec,
                                       features::ColumnBuilder& builder, std::size_t limit);

    /// `targets`: numbers of the label, equally many per row in every call, or none.
    Result<void> add(const features::RawRows& rows, std::span<const float> targets);

    /// With the `listed` most frequent values at most.
    HashedColumn result(std::size_t listed) const;

private:
    Result<void> readInputs(const features::RawRows& rows);
    void addOne(std::int64_t row, std::int64_t combination, std::int64_t bucket,
                std::span<const float> targets);
    HashedValue valueAt(const data::CountTable::Slot& slot) const;

    /// A value that is counted.
    struct Kept
    {
        std::vector<SeenValue> values;
        std::int64_t bucket = 0;
    };

    std::string m_name;
    features::ColumnPointer m_column;
    std::size_t m_limit = 0;
    std::vector<SeenValues> m_inputs; ///< in the order of the column
    std::vector<std::size_t> m_order; ///< of hashing
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

} // namespace cannery::survey
