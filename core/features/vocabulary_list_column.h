// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// categorical_column_with_vocabulary_list: the words are listed in the experiment. Errors:
/// "features.vocabulary_repeated", "features.vocabulary_number", "features.vocabulary_default",
/// "features.vocabulary_two_defaults", "features.vocabulary_empty".
Result<ColumnPointer> createVocabularyListColumn(const spec::FeatureColumn& spec,
                                                 ColumnBuilder& builder);
/// sequence_categorical_column_with_vocabulary_list.
Result<ColumnPointer> createVocabularyListSequence(const spec::FeatureColumn& spec,
                                                   ColumnBuilder& builder);

} // namespace cannery::features
