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
#include "core/features/shared_embeddings.h"
#include "core/features/vocabulary_file_column.h"
#include "core/features/vocabulary_list_column.h"
#include "core/features/weighted_column.h"

#include <array>

namespace cannery::features {

namespace {

using Kind = spec::FeatureColumn;

constexpr std::array<FeatureColumnRow, 11> kCatalog{{
    {Kind::kNumericColumn, "numeric_column", &NumericColumn::create, nullptr, ""},
    {Kind::kBucketizedColumn, "bucketized_column", &BucketizedColumn::create, nullptr, ""},
    {Kind::kCategoricalColumnWithVocabularyList, "categorical_column_with_vocabulary_list",
     &createVocabularyListColumn, nullptr, ""},
    {Kind::kCategoricalColumnWithVocabularyFile, "categorical_column_with_vocabulary_file",
     &createVocabularyFileColumn, nullptr, ""},
    {Kind::kCategoricalColumnWithHashBucket, "categorical_column_with_hash_bucket",
     &HashBucketColumn::create, nullptr, ""},
    {Kind::kCategoricalColumnWithIdentity, "categorical_column_with_identity",
     &IdentityColumn::create, nullptr, ""},
    {Kind::kCrossedColumn, "crossed_column", &CrossedColumn::create, nullptr, ""},
    {Kind::kWeightedCategoricalColumn, "weighted_categorical_column", &WeightedColumn::create,
     nullptr, ""},
    {Kind::kIndicatorColumn, "indicator_column", nullptr, &indicatedColumns, kIndicatorSuffix},
    {Kind::kEmbeddingColumn, "embedding_column", nullptr, &embeddedColumns, kEmbeddingSuffix},
    {Kind::kSharedEmbeddings, "shared_embeddings", nullptr, &sharedColumns, kSharedEmbeddingSuffix},
}};

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
