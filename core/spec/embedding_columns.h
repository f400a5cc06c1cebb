// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/spec/checks/column_rules.h"

/// Rules of columns with a table of vectors (estimator-canon §3.1), rows of columnRules().
namespace cannery::spec {

void checkEmbeddingColumn(const ColumnCheck& check);
/// A truncated normal with mean 0 and standard deviation 1/sqrt(dimension).
void resolveEmbeddingColumn(FeatureColumn& column, const Experiment& experiment,
                            const ResolveOptions& options);

void checkSharedEmbeddings(const ColumnCheck& check);
/// The same, and the name of the table.
void resolveSharedEmbeddings(FeatureColumn& column, const Experiment& experiment,
                             const ResolveOptions& options);

/// Name of the shared table: as written, or the sorted categorical names joined with '_' and
/// "_shared_embedding".
Result<std::string> sharedEmbeddingCollection(const ColumnIndex& columns,
                                              std::string_view columnName);

} // namespace cannery::spec
