// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

inline constexpr std::string_view kIndicatorSuffix = "_indicator";

/// indicator_column: counts per bucket (repeated ids add up, negative ones count nowhere, weights
/// count instead of 1). Never expanded here: a layer reads the ids of the categorical column.
std::vector<std::string> indicatedColumns(const spec::FeatureColumn& spec);

} // namespace cannery::features
