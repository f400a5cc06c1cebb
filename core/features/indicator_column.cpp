// SPDX-License-Identifier: Apache-2.0
#include "core/features/indicator_column.h"

#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

Result<ColumnLookup> indicatorLookup(const spec::FeatureColumn&, const spec::ColumnIndex&)
{
    return ColumnLookup{};
}

} // namespace cannery::features
