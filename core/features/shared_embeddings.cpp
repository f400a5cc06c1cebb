// SPDX-License-Identifier: Apache-2.0
#include "core/features/shared_embeddings.h"

#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

std::vector<std::string> sharedColumns(const spec::FeatureColumn& spec)
{
    const auto& columns = spec.shared_embeddings().categorical_columns();
    return {columns.begin(), columns.end()};
}

} // namespace cannery::features
