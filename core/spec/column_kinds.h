// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the schema says of kinds of feature columns: the options beside a kind's message and its
/// fields. Nothing here names a kind.
namespace cannery::spec {

class ColumnIndex;

/// Of the kind that is set; without a kind nothing.
const ColumnKind& columnKind(const FeatureColumn& column);
bool gives(const FeatureColumn& column, ColumnKind::Value value);

/// "numeric_column": the name of the member that is set.
std::string kindName(const FeatureColumn& column);

/// What a column is made of.
struct ColumnSource
{
    std::string name; ///< of a raw feature, or of another feature column
    bool isColumn = false;

    bool operator==(const ColumnSource&) const = default;
};

/// In the order of the schema, lists in the order written.
std::vector<ColumnSource> sourcesOf(const FeatureColumn& column);

/// What stands in a field of the column, which names a feature, columns, or either.
std::vector<ColumnSource> sourcesIn(const FeatureColumn& column, std::string_view field);

/// Number of ids, when the experiment alone says it.
std::optional<std::int64_t> idCount(const ColumnIndex& columns, const FeatureColumn& column);

} // namespace cannery::spec
