// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

inline constexpr std::string_view kSharedEmbeddingSuffix = "_shared_embedding";

/// shared_embeddings: one table behind several categorical columns, whose ids layers read; in the
/// order written.
std::vector<std::string> sharedColumns(const spec::FeatureColumn& spec);

} // namespace cannery::features
