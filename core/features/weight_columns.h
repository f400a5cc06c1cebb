// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

#include <vector>

namespace cannery::spec {
class Head;
} // namespace cannery::spec

namespace cannery::features {

/// The weight_column of a head, or of every head in a multi_head that has one. Error:
/// "features.weight_column".
Result<std::vector<ColumnPointer>> weightColumns(const spec::Head& head, ColumnBuilder& builder);

} // namespace cannery::features
