// SPDX-License-Identifier: Apache-2.0
#include "core/features/indicator_column.h"

#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

std::vector<std::string> indicatedColumns(const spec::FeatureColumn& spec)
{
    return {spec.indicator_column().categorical_column()};
}

} // namespace cannery::features
