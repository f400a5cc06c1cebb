// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/column_lookup.h"

namespace cannery::spec {
class ColumnIndex;
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// shared_embeddings: one table behind several categorical columns, whose ids layers read; in the
/// order written.
Result<ColumnLookup> sharedLookup(const spec::FeatureColumn& column,
                                  const spec::ColumnIndex& columns);

} // namespace cannery::features
