// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::graph {

/// What a learner makes of a feature column.
enum class LearnerInputKind
{
    Numbers,    ///< `width` floats per row: one feature each
    Buckets,    ///< a bucketized column: one feature of `dimensions` buckets per row
    Indicator,  ///< how often each of `width` categories occurs: a feature of 0 or 1 each
    Categories, ///< any number of ids below `width` per row: one feature
};

/// A feature column of a model that learns in steps of its own (plan::Learner), in the order of
/// TensorFlow's names.
struct LearnerInput
{
    std::string name;   ///< TensorFlow's: "age_bucketized", "job_indicator"
    std::string credit; ///< the name that importances are added up under: "age_bucketized", "job"
    LearnerInputKind kind = LearnerInputKind::Numbers;
    std::int32_t slot = -1;        ///< of features::InputLayout
    std::int32_t block = -1;       ///< of features::EncodedRows::dense for Numbers, else of ::ids
    std::int64_t width = 0;        ///< floats or ids
    std::int64_t dimensions = 1;   ///< Buckets only; id = dimension * buckets() + bucket
    std::vector<float> boundaries; ///< Buckets only

    std::int64_t buckets() const { return width / dimensions; }
};

} // namespace cannery::graph
