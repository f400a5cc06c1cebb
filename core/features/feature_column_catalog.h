// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"
#include "core/spec/feature_columns.pb.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cannery::features {

/// One member of the family. It has either a slot of its own, made by `create`, or wraps
/// categorical columns whose slots a layer reads.
struct FeatureColumnRow
{
    spec::FeatureColumn::KindCase key = spec::FeatureColumn::KIND_NOT_SET;
    std::string_view name; ///< the function of tf.feature_column, and the field of the schema
    Result<ColumnPointer> (*create)(const spec::FeatureColumn&, ColumnBuilder&) = nullptr;
    std::vector<std::string> (*wrapped)(const spec::FeatureColumn&) = nullptr;
    std::string_view suffix; ///< of a wrapper's TensorFlow name
};

/// Every feature column that there is.
std::span<const FeatureColumnRow> featureColumnCatalog();
/// The member behind a case of the schema's oneof, or nullptr.
const FeatureColumnRow* findFeatureColumnRow(spec::FeatureColumn::KindCase kind);

} // namespace cannery::features
