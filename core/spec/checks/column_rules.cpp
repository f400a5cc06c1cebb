// SPDX-License-Identifier: Apache-2.0
#include "core/spec/checks/column_rules.h"

#include "core/base/catalog.h"
#include "core/spec/crossed_columns.h"
#include "core/spec/embedding_columns.h"
#include "core/spec/number_columns.h"
#include "core/spec/sequence_columns.h"
#include "core/spec/vocabulary_columns.h"

#include <array>

namespace cannery::spec {

namespace {

constexpr auto kRules = std::to_array<ColumnRules>({
    {FeatureColumn::kNumericColumn, checkNumericColumn, resolveNumericColumn},
    {FeatureColumn::kBucketizedColumn, checkBucketizedColumn, nullptr, bucketizedIdCount},
    {FeatureColumn::kCategoricalColumnWithVocabularyList, checkVocabularyList},
    {FeatureColumn::kCategoricalColumnWithVocabularyFile, checkVocabularyFile,
     resolveVocabularyFile},
    {FeatureColumn::kCategoricalColumnWithIdentity, checkIdentity},
    {FeatureColumn::kCrossedColumn, checkCrossedColumn, resolveCrossedColumn},
    {FeatureColumn::kEmbeddingColumn, checkEmbeddingColumn, resolveEmbeddingColumn},
    {FeatureColumn::kSharedEmbeddings, checkSharedEmbeddings, resolveSharedEmbeddings},
    {FeatureColumn::kSequenceNumericColumn, checkSequenceNumeric, resolveSequenceNumeric},
    {FeatureColumn::kSequenceCategoricalColumnWithVocabularyList, checkSequenceVocabularyList},
    {FeatureColumn::kSequenceCategoricalColumnWithVocabularyFile, checkSequenceVocabularyFile,
     resolveSequenceVocabularyFile},
    {FeatureColumn::kSequenceCategoricalColumnWithHashBucket, checkSequenceHashBucket},
    {FeatureColumn::kSequenceCategoricalColumnWithIdentity, checkSequenceIdentity},
});

} // namespace

std::span<const ColumnRules> columnRules()
{
    return kRules;
}

const ColumnRules* findColumnRules(const FeatureColumn& column)
{
    return findRow(kRules, column.kind_case());
}

} // namespace cannery::spec
