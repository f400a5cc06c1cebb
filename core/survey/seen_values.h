// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/pipeline/feature_batch.h"
#include "core/features/column_builder.h"
#include "core/features/id_rows.h"
#include "core/features/raw_rows.h"

#include <cstdint>
#include <string>
#include <variant>

namespace cannery::spec {
class FeatureColumn;
struct ColumnSource;
} // namespace cannery::spec

namespace cannery::survey {

/// A value of a hashed column's input, for people: nothing if it is missing or unknown, its text,
/// or an id that stands for several texts.
using SeenValue = std::variant<std::monostate, std::string, std::int64_t>;

/// The values of one input of a hashed or crossed column, row by row: cells of a raw feature, or
/// ids of a categorical column. One thread.
class SeenValues
{
public:
    /// Errors: those of the column.
    static Result<SeenValues> create(const spec::ColumnSource& source,
                                     features::ColumnBuilder& builder);

    const std::string& name() const { return m_name; }

    /// Reads rows, which must outlive their use. Errors: "features.missing_feature", those of the
    /// column.
    Result<void> read(const features::RawRows& rows);
    /// Whether rows may have any number of values: TensorFlow hashes such inputs before others.
    bool isSparse() const { return m_column != nullptr || m_feature->sparse; }
    features::CellRange valuesOf(std::int64_t row) const;

    // Of the rows that were read last.
    /// Equal for equal values, and hardly ever for others.
    std::uint64_t keyOf(std::int64_t value) const;
    SeenValue textOf(std::int64_t row, std::int64_t value) const;

private:
    SeenValue textOfId(std::int64_t row, std::int64_t value) const;
    SeenValue textOfWord(std::int64_t row, std::int64_t value) const;

    std::string m_name;
    const spec::FeatureColumn* m_spec = nullptr;
    features::ColumnPointer m_column; ///< null for a raw feature
    std::string m_raw;                ///< the feature that it reads
    const features::RawRows* m_rows = nullptr;
    const data::FeatureValues* m_feature = nullptr;
    features::IdRows m_ids;
};

/// The range of a bucket: "18 – 25", "< 18", "≥ 65".
std::string bucketRange(const spec::FeatureColumn& bucketized, std::int64_t bucket);

} // namespace cannery::survey
