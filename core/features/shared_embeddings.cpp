// SPDX-License-Identifier: Apache-2.0
#include "core/features/shared_embeddings.h"

#include "core/spec/embedding_columns.h"

namespace cannery::features {

Result<ColumnLookup> sharedLookup(const spec::FeatureColumn& column,
                                  const spec::ColumnIndex& columns)
{
    ColumnLookup lookup{embeddingTableOf(column.shared_embeddings())};
    CANNERY_TRY_ASSIGN(lookup.table->collection,
                       spec::sharedEmbeddingCollection(columns, column.name()));
    return lookup;
}

} // namespace cannery::features
