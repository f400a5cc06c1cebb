// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/experiment.pb.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the schema says about kinds of feature columns: the options of a kind's message and fields.
/// Nothing here refers to a specific kind.
namespace cannery::spec {

class ColumnIndex;

/// Of the kind that is set; nothing if none is.
const ColumnKind& columnKind(const FeatureColumn& column);
bool gives(const FeatureColumn& column, ColumnKind::Value value);
/// Whether it has a value for each step: as its kind says, or because the column does whose ids it
/// makes dense.
bool isSequence(const ColumnIndex& columns, const FeatureColumn& column);
/// Whether it makes the ids of other columns dense, as indicators and embeddings do.
bool isWrapper(const FeatureColumn& column);

/// "numeric_column": the name of the member that is set.
std::string kindName(const FeatureColumn& column);

/// What a column is made of.
struct ColumnSource
{
    std::string name; ///< name of a raw feature, or of another feature column
    bool isColumn = false;

    bool operator==(const ColumnSource&) const = default;
};

/// In the order of the schema; lists in the order written.
std::vector<ColumnSource> sourcesOf(const FeatureColumn& column);

/// The contents of a field of the column that names a feature, columns, or either.
std::vector<ColumnSource> sourcesIn(const FeatureColumn& column, std::string_view field);

/// Number of ids, if it follows from the experiment alone.
std::optional<std::int64_t> idCount(const ColumnIndex& columns, const FeatureColumn& column);

} // namespace cannery::spec
