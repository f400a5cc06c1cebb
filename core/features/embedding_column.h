// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

inline constexpr std::string_view kEmbeddingSuffix = "_embedding";

/// embedding_column: rows of a trained table, combined. A layer owns the table and reads the ids
/// of the categorical column.
std::vector<std::string> embeddedColumns(const spec::FeatureColumn& spec);

} // namespace cannery::features
