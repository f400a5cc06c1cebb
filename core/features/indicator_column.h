// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/features/column_lookup.h"

namespace cannery::spec {
class ColumnIndex;
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// indicator_column: counts per bucket (repeated ids add up, negative ones are dropped, weights
/// replace 1). Never expanded here: a layer reads the ids of the categorical column.
Result<ColumnLookup> indicatorLookup(const spec::FeatureColumn& column,
                                     const spec::ColumnIndex& columns);

} // namespace cannery::features
