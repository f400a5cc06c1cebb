// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/column_lookup.h"

namespace cannery::spec {
class ColumnIndex;
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// shared_embeddings: one table for several categorical columns, in the order listed; layers read
/// their ids.
Result<ColumnLookup> sharedLookup(const spec::FeatureColumn& column,
                                  const spec::ColumnIndex& columns);

} // namespace cannery::features
