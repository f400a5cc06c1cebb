// SPDX-License-Identifier: Apache-2.0
#include "core/spec/vocabulary_columns.h"

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

void checkWords(const ColumnCheck& check, const VocabularyListColumn& column)
{
    const bool whole = column.dtype() == DataType::int32 || column.dtype() == DataType::int64;
    std::set<std::string> seen;
    for (int i = 0; i < column.vocabulary_list_size(); ++i) {
        const std::string& word = column.vocabulary_list(i);
        const SpecPath path = check.path.child("vocabulary_list").element(i);
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

} // namespace

void checkVocabularyList(const ColumnCheck& check)
{
    const VocabularyListColumn& column = check.column.categorical_column_with_vocabulary_list();
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

void checkVocabularyFile(const ColumnCheck& check)
{
    const VocabularyFileColumn& column = check.column.categorical_column_with_vocabulary_file();
    if (!column.has_default_value() || column.default_value() == -1) {
        return;
    }
    if (column.num_oov_buckets() > 0) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::InvalidArgument, kDefaultAndOov));
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

void resolveVocabularyFile(FeatureColumn& column, const Experiment&, const ResolveOptions&)
{
    VocabularyFileColumn& file = *column.mutable_categorical_column_with_vocabulary_file();
    if (!file.has_default_value() && file.num_oov_buckets() == 0) {
        file.set_default_value(-1);
    }
}

void checkIdentity(const ColumnCheck& check)
{
    const IdentityColumn& column = check.column.categorical_column_with_identity();
    if (column.has_default_value() &&
        (column.default_value() < 0 || column.default_value() >= column.num_buckets())) {
        check.report(check.path.child("default_value"),
                     error(ErrorCode::OutOfRange, kDefaultRange, column.default_value(), 0,
                           column.num_buckets() - 1));
    }
}

} // namespace cannery::spec
