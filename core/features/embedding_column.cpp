// SPDX-License-Identifier: Apache-2.0
#include "core/features/embedding_column.h"

#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

std::vector<std::string> embeddedColumns(const spec::FeatureColumn& spec)
{
    return {spec.embedding_column().categorical_column()};
}

} // namespace cannery::features
