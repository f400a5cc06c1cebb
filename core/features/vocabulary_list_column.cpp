// SPDX-License-Identifier: Apache-2.0
#include "core/features/vocabulary_list_column.h"

#include "core/features/sequence_categorical_column.h"
#include "core/features/vocabulary_column.h"
#include "core/spec/feature_columns.pb.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kRepeatedWord{
    "features.vocabulary_repeated",
    "The vocabulary of feature column '{}' has '{}' twice; remove one."};
constexpr ErrorKind kNoNumber{"features.vocabulary_number",
                              "The vocabulary of feature column '{}' has '{}', which is not an "
                              "integer, but its dtype is {}."};
constexpr ErrorKind kEmptyList{"features.vocabulary_empty",
                               "The vocabulary_list of feature column '{}' is empty."};

template <typename Message>
Result<void> fillTexts(const Message& column, const std::string& name, TextVocabulary& words)
{
    for (const std::string& word : column.vocabulary_list()) {
        if (!words.add(word)) {
            return fail(ErrorCode::InvalidArgument, kRepeatedWord, name, word);
        }
    }
    return {};
}

template <typename Message>
Result<void> fillNumbers(const Message& column, const std::string& name, IntegerVocabulary& words)
{
    for (const std::string& word : column.vocabulary_list()) {
        const std::optional<std::int64_t> number = integerFromText(word);
        if (!number) {
            return fail(ErrorCode::InvalidArgument, kNoNumber, name, word,
                        cannery::name(static_cast<DType>(column.dtype())));
        }
        if (!words.add(*number)) {
            return fail(ErrorCode::InvalidArgument, kRepeatedWord, name, word);
        }
    }
    return {};
}

/// `Message`: a list of words, for a value per row or per step.
template <typename Message>
Result<ColumnPointer> columnOfList(const Message& column, const spec::FeatureColumn& spec,
                                   ColumnBuilder& builder)
{
    VocabularyRule rule;
    rule.feature = column.key();
    rule.defaultValue = column.default_value();
    rule.oovBuckets = column.num_oov_buckets();
    if (column.vocabulary_list().empty()) {
        return fail(ErrorCode::InvalidArgument, kEmptyList, spec.name());
    }
    if (isInteger(static_cast<DType>(column.dtype()))) {
        CANNERY_TRY(fillNumbers(column, spec.name(), rule.words.emplace<IntegerVocabulary>()));
    } else {
        CANNERY_TRY(fillTexts(column, spec.name(), rule.words.emplace<TextVocabulary>()));
    }
    CANNERY_TRY(VocabularyColumn::check(rule, spec.name()));
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, rule.size() + rule.oovBuckets));
    return std::make_shared<const VocabularyColumn>(std::move(info), std::move(rule));
}

} // namespace

Result<ColumnPointer> createVocabularyListColumn(const spec::FeatureColumn& spec,
                                                 ColumnBuilder& builder)
{
    return columnOfList(spec.categorical_column_with_vocabulary_list(), spec, builder);
}

Result<ColumnPointer> createVocabularyListSequence(const spec::FeatureColumn& spec,
                                                   ColumnBuilder& builder)
{
    CANNERY_TRY_ASSIGN(
        ColumnPointer ids,
        columnOfList(spec.sequence_categorical_column_with_vocabulary_list(), spec, builder));
    return SequenceCategoricalColumn::of(std::move(ids));
}

} // namespace cannery::features
