// SPDX-License-Identifier: Apache-2.0
#include "core/features/embedding_column.h"

#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

Result<ColumnLookup> embeddingLookup(const spec::FeatureColumn& column, const spec::ColumnIndex&)
{
    return ColumnLookup{embeddingTableOf(column.embedding_column())};
}

} // namespace cannery::features
