// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"
#include "core/features/column_lookup.h"
#include "core/spec/feature_columns.pb.h"

#include <span>
#include <string_view>

namespace cannery::features {

/// One member of the family. It either has its own slot, made by `create`, or wraps categorical
/// columns whose slots a layer reads. The schema says what it gives, what it is made of and what
/// TensorFlow calls it (core/spec/column_kinds.h).
struct FeatureColumnRow
{
    spec::FeatureColumn::KindCase key = spec::FeatureColumn::KIND_NOT_SET;
    std::string_view name; ///< the function of tf.feature_column, and the field of the schema
    Result<ColumnPointer> (*create)(const spec::FeatureColumn&, ColumnBuilder&) = nullptr;
    Result<ColumnLookup> (*lookup)(const spec::FeatureColumn&, const spec::ColumnIndex&) = nullptr;
};

/// All feature columns.
std::span<const FeatureColumnRow> featureColumnCatalog();
/// The member for a case of the schema's oneof, or nullptr.
const FeatureColumnRow* findFeatureColumnRow(spec::FeatureColumn::KindCase kind);

} // namespace cannery::features
