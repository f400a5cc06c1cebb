// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/features/column_builder.h"

namespace cannery::spec {
class FeatureColumn;
} // namespace cannery::spec

namespace cannery::features {

/// categorical_column_with_vocabulary_file: one word per line, LF or CRLF, the first
/// vocabulary_size lines (unset: all). As in TensorFlow an empty line among them is an error, also
/// at the end, and so is a repeated word. Errors: "features.vocabulary_file",
/// "features.vocabulary_file_size", "features.vocabulary_file_empty" and those of a list.
Result<ColumnPointer> createVocabularyFileColumn(const spec::FeatureColumn& spec,
                                                 ColumnBuilder& builder);
/// sequence_categorical_column_with_vocabulary_file.
Result<ColumnPointer> createVocabularyFileSequence(const spec::FeatureColumn& spec,
                                                   ColumnBuilder& builder);

} // namespace cannery::features
