// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/dtype.h"
#include "core/base/error.h"
#include "core/base/shape.h"
#include "core/base/string_column.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace cannery::data {

/// Elements of one feature. Int32 and Int64 share the int64 alternative; the accompanying dtype
/// tells them apart.
using FeatureElements =
    std::variant<std::vector<float>, std::vector<double>, std::vector<std::int64_t>, StringColumn>;

/// One raw feature (or label) for some rows: what an input_fn would return under its name.
struct FeatureValues
{
    std::string name;
    DType dtype = DType::String; ///< Float32, Float64, Int32, Int64 or String
    FeatureElements elements;

    /// Dense features: the shape of one row, [1] for a plain column; elements are row-major.
    Shape shape{1};
    /// Dense features: 0 where the cell was missing and had no default (the element is then 0 or
    /// ""). Empty: nothing is missing. One entry per element.
    std::vector<std::uint8_t> valid;

    /// A cell split at a separator: each row has any number of elements, [rowOffsets[r],
    /// rowOffsets[r + 1]).
    bool sparse = false;
    std::vector<std::int64_t> rowOffsets;
};

/// A row that cannot be used, and why.
struct UnusableRow
{
    std::int64_t row = 0; ///< of its batch
    Error error;
};

/// Consecutive rows of a data source, as raw features.
struct FeatureBatch
{
    std::int64_t rowCount = 0;
    std::vector<FeatureValues> features;
    /// One for a single label; one per head (named after it) for a multi_head; none if the rows
    /// have no label. Not repeated among the features.
    std::vector<FeatureValues> labels;
    /// Where a row came from, for messages: index into the source's files, and 1-based line.
    std::vector<std::int32_t> fileIndex;
    std::vector<std::int64_t> line;
    /// Rows of which some feature could not be made, ascending: FeatureRequest::keepsUnusable.
    /// Their elements mean nothing.
    std::vector<UnusableRow> unusable;
};

/// Removes these rows, which ascend, and what was unusable; the others keep their order.
void removeRows(FeatureBatch& batch, const std::vector<std::int64_t>& rows);

} // namespace cannery::data
