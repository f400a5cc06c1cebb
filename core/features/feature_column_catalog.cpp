// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_column_catalog.h"

#include "core/base/catalog.h"
#include "core/features/bucketized_column.h"
#include "core/features/crossed_column.h"
#include "core/features/embedding_column.h"
#include "core/features/hash_bucket_column.h"
#include "core/features/identity_column.h"
#include "core/features/indicator_column.h"
#include "core/features/numeric_column.h"
#include "core/features/sequence_numeric_column.h"
#include "core/features/shared_embeddings.h"
#include "core/features/vocabulary_file_column.h"
#include "core/features/vocabulary_list_column.h"
#include "core/features/weighted_column.h"

#include <array>

namespace cannery::features {

namespace {

using Kind = spec::FeatureColumn;

constexpr auto kCatalog = std::to_array<FeatureColumnRow>({
    {Kind::kNumericColumn, "numeric_column", &NumericColumn::create},
    {Kind::kBucketizedColumn, "bucketized_column", &BucketizedColumn::create},
    {Kind::kCategoricalColumnWithVocabularyList, "categorical_column_with_vocabulary_list",
     &createVocabularyListColumn},
    {Kind::kCategoricalColumnWithVocabularyFile, "categorical_column_with_vocabulary_file",
     &createVocabularyFileColumn},
    {Kind::kCategoricalColumnWithHashBucket, "categorical_column_with_hash_bucket",
     &HashBucketColumn::create},
    {Kind::kCategoricalColumnWithIdentity, "categorical_column_with_identity",
     &IdentityColumn::create},
    {Kind::kCrossedColumn, "crossed_column", &CrossedColumn::create},
    {Kind::kWeightedCategoricalColumn, "weighted_categorical_column", &WeightedColumn::create},
    {Kind::kIndicatorColumn, "indicator_column", nullptr, &indicatorLookup},
    {Kind::kEmbeddingColumn, "embedding_column", nullptr, &embeddingLookup},
    {Kind::kSharedEmbeddings, "shared_embeddings", nullptr, &sharedLookup},
    {Kind::kSequenceNumericColumn, "sequence_numeric_column", &SequenceNumericColumn::create},
    {Kind::kSequenceCategoricalColumnWithVocabularyList,
     "sequence_categorical_column_with_vocabulary_list", &createVocabularyListSequence},
    {Kind::kSequenceCategoricalColumnWithVocabularyFile,
     "sequence_categorical_column_with_vocabulary_file", &createVocabularyFileSequence},
    {Kind::kSequenceCategoricalColumnWithHashBucket, "sequence_categorical_column_with_hash_bucket",
     &HashBucketColumn::createSequence},
    {Kind::kSequenceCategoricalColumnWithIdentity, "sequence_categorical_column_with_identity",
     &IdentityColumn::createSequence},
});

} // namespace

std::span<const FeatureColumnRow> featureColumnCatalog()
{
    return kCatalog;
}

const FeatureColumnRow* findFeatureColumnRow(spec::FeatureColumn::KindCase kind)
{
    return findRow(kCatalog, kind);
}

} // namespace cannery::features
