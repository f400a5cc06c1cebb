// SPDX-License-Identifier: Apache-2.0
#include "core/spec/vocabulary_columns.h"

#include "core/spec/sequence_columns.h"

#include <charconv>
#include <set>

namespace cannery::spec {

namespace {

constexpr ErrorKind kDefaultAndOov{
    "spec.default_and_oov",
    "default_value and num_oov_buckets both define how unknown values are treated: keep one."};
constexpr ErrorKind kDefaultRange{
    "spec.default_range",
    "default_value {0} is not an id of this column: it must be between {1} and {2}."};
constexpr ErrorKind kDuplicateWord{"spec.duplicate_vocabulary",
                                   "'{0}' occurs twice in the vocabulary: remove one."};
constexpr ErrorKind kIntegerWord{"spec.vocabulary_integer",
                                 "'{0}' is not an integer, but the vocabulary's dtype is {1}."};

// `Message`: of a value per row, or per step.

template <typename Message>
void checkWords(const ColumnCheck& check, const Message& column)
{
    const bool whole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    std::set<std::string> seen;
    for (int i = 0; i < column.vocabulary_list_size(); ++i) {
        const std::string& word = column.vocabulary_list(i);
        const SpecPath path = check.path.child("vocabulary_list").element(i);
        // The place of the second word is reported, which is the one to remove.
        if (!seen.insert(word).second) {
            check.report(path, error(ErrorCode::AlreadyExists, kDuplicateWord, word));
        }
        std::int64_t number = 0;
        const auto [rest, code] = std::from_chars(word.data(), word.data() + word.size(), number);
        if (whole && (code != std::errc() || rest != word.data() + word.size())) {
            check.report(path, error(ErrorCode::InvalidArgument, kIntegerWord, word,
                                     DataType::Name_Name(column.dtype())));
        }
    }
}

template <typename Message>
void checkList(const ColumnCheck& check, const Message& column)
{
    checkWords(check, column);
    if (column.num_oov_buckets() > 0 && column.default_value() != -1) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::InvalidArgument, kDefaultAndOov));
    } else if (column.default_value() < -1 ||
               column.default_value() >= column.vocabulary_list_size()) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), -1,
                           column.vocabulary_list_size() - 1));
    }
}

template <typename Message>
void checkFile(const ColumnCheck& check, const Message& column)
{
    // -1 drops unknown words, as TensorFlow's default does.
    if (!column.has_default_value() || column.default_value() == -1) {
        return;
    }
    if (column.num_oov_buckets() > 0) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::InvalidArgument, kDefaultAndOov));
        // Without a size, the file's lines are not known here; the column checks it when it reads
        // them.
    } else if (column.default_value() < -1 ||
               (column.has_vocabulary_size() &&
                column.default_value() >= column.vocabulary_size())) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), -1,
                           column.has_vocabulary_size()
                               ? std::to_string(column.vocabulary_size() - 1)
                               : "the last line of the file"));
    }
}

template <typename Message>
void resolveFile(Message& file)
{
    // TensorFlow's default of a file, which its message leaves open: a default beside buckets is an
    // error.
    if (!file.has_default_value() && file.num_oov_buckets() == 0) {
        file.set_default_value(-1);
    }
}

template <typename Message>
void checkIds(const ColumnCheck& check, const Message& column)
{
    if (column.has_default_value() &&
        (column.default_value() < 0 || column.default_value() >= column.num_buckets())) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), 0,
                           column.num_buckets() - 1));
    }
}

} // namespace

void checkVocabularyList(const ColumnCheck& check)
{
    checkList(check, check.column.categorical_column_with_vocabulary_list());
}

void checkVocabularyFile(const ColumnCheck& check)
{
    checkFile(check, check.column.categorical_column_with_vocabulary_file());
}

void resolveVocabularyFile(FeatureColumn& column, const Experiment&, const ResolveOptions&)
{
    resolveFile(*column.mutable_categorical_column_with_vocabulary_file());
}

void checkIdentity(const ColumnCheck& check)
{
    checkIds(check, check.column.categorical_column_with_identity());
}

void checkSequenceVocabularyList(const ColumnCheck& check)
{
    const auto& column = check.column.sequence_categorical_column_with_vocabulary_list();
    checkSequenceKey(check, column.key());
    checkList(check, column);
}

void checkSequenceVocabularyFile(const ColumnCheck& check)
{
    const auto& column = check.column.sequence_categorical_column_with_vocabulary_file();
    checkSequenceKey(check, column.key());
    checkFile(check, column);
}

void resolveSequenceVocabularyFile(FeatureColumn& column, const Experiment&, const ResolveOptions&)
{
    resolveFile(*column.mutable_sequence_categorical_column_with_vocabulary_file());
}

void checkSequenceIdentity(const ColumnCheck& check)
{
    const auto& column = check.column.sequence_categorical_column_with_identity();
    checkSequenceKey(check, column.key());
    checkIds(check, column);
}

} // namespace cannery::spec
