// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/column_lookup.h"

namespace cannery::spec {
class ColumnIndex;
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// embedding_column: rows of a trained table, combined. A layer owns the table and reads the ids of
/// the categorical column.
Result<ColumnLookup> embeddingLookup(const spec::FeatureColumn& column,
                                     const spec::ColumnIndex& columns);

} // namespace cannery::features
