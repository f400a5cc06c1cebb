// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/column_builder.h"
#include "core/features/encoded_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace cannery::spec {
class Head;
} // namespace cannery::spec

namespace cannery::features {

/// The weights of labels: one number for each head that has a weight_column, of a row or, as
/// TensorFlow's sequential head takes them, of a step. Immutable.
class WeightEncoder
{
public:
    WeightEncoder() = default;
    /// Errors: those of the columns; "features.weight_column" for one that is not a number per row;
    /// "features.step_weight_column" for weights of steps that are not a raw feature.
    static Result<WeightEncoder> create(const spec::Head& head, bool areOfSteps,
                                        ColumnBuilder& builder);

    std::int64_t width() const { return static_cast<std::int64_t>(m_columns.size()); }
    const std::vector<ColumnPointer>& columns() const { return m_columns; }

    /// rows × width() floats. Errors name the row: "features.weight_nan", and those of the columns.
    Result<void> encode(const RawRows& rows, std::vector<float>& out) const;
    /// The same for weights of steps: steps × width() floats of `out`, whose labelOffsets are those
    /// of the sequence of that name. Error also: "features.weight_steps".
    Result<void> encodeSteps(const RawRows& rows, const std::string& sequence,
                             EncodedRows& out) const;

private:
    std::vector<ColumnPointer> m_columns;
};

} // namespace cannery::features
