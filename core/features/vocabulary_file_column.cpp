// SPDX-License-Identifier: Apache-2.0
#include "core/features/vocabulary_file_column.h"

#include "core/features/sequence_categorical_column.h"
#include "core/features/vocabulary_column.h"
#include "core/spec/column_kinds.h"
#include "core/spec/feature_columns.pb.h"
#include "core/spec/text/spec_path.h"
#include "storage/io/files.h"

namespace cannery::features {

namespace {

constexpr ErrorKind kUnreadable{"features.vocabulary_unreadable",
                                "The vocabulary of feature column '{}' cannot be read. {}"};
constexpr ErrorKind kBadLine{
    "features.vocabulary_file",
    "{}:{}: the vocabulary of feature column '{}' has {} here; remove the line."};
constexpr ErrorKind kTooShort{
    "features.vocabulary_file_size",
    "Feature column '{}' has vocabulary_size {}, but {} has {} lines; lower it or leave it out."};
constexpr ErrorKind kEmptyFile{
    "features.vocabulary_file_empty",
    "The vocabulary of feature column '{}' is empty: write one word on each line of {}."};

/// The next line without its end, CRLF or LF; false after the last.
bool takeLine(std::string_view& text, std::string_view& line)
{
    if (text.empty()) {
        return false;
    }
    const std::size_t end = text.find('\n');
    line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    return true;
}

/// Why a line is not a valid word, or empty.
std::string_view addLine(std::string_view line, VocabularyRule& rule)
{
    if (line.empty()) {
        return "an empty line";
    }
    if (auto* texts = std::get_if<TextVocabulary>(&rule.words)) {
        return texts->add(line) ? "" : "a word that already occurs above";
    }
    const std::optional<std::int64_t> number = integerFromText(line);
    if (!number) {
        return "a word that is not an integer, although its dtype is";
    }
    return std::get<IntegerVocabulary>(rule.words).add(*number)
               ? ""
               : "a number that already occurs above";
}

/// A field of a column in the experiment.
std::string pathOf(const spec::FeatureColumn& column, std::string_view field)
{
    spec::SpecPath path = spec::SpecPath{}.child("feature_column");
    path.steps.back().name = column.name();
    return path.child(spec::kindName(column)).child(field).toString();
}

Result<void> readWords(const std::string& path, std::int64_t wanted,
                       const spec::FeatureColumn& spec, VocabularyRule& rule)
{
    const std::string& column = spec.name();
    const std::string file = pathOf(spec, "vocabulary_file");
    const Result<std::string> text = storage::readWholeFile(path);
    if (!text) {
        const Error& why = text.error();
        // A system's message does not say which column wanted the file; other errors do name it.
        return tl::make_unexpected((why.id == "io.system"
                                        ? error(why.code, kUnreadable, column, why.sentence)
                                        : Error(why))
                                       .at(file));
    }
    std::string_view rest = *text;
    std::string_view line;
    // With a vocabulary_size, TensorFlow reads no further lines either.
    while ((wanted == 0 || rule.size() < wanted) && takeLine(rest, line)) {
        if (const std::string_view problem = addLine(line, rule); !problem.empty()) {
            return tl::make_unexpected(
                error(ErrorCode::InvalidArgument, kBadLine, path, rule.size() + 1, column, problem)
                    .at(file));
        }
    }
    if (rule.size() == 0) {
        return tl::make_unexpected(
            error(ErrorCode::InvalidArgument, kEmptyFile, column, path).at(file));
    }
    if (rule.size() < wanted) {
        return tl::make_unexpected(
            error(ErrorCode::InvalidArgument, kTooShort, column, wanted, path, rule.size())
                .at(pathOf(spec, "vocabulary_size")));
    }
    return {};
}

/// `Message`: a file of words, for a value per row or per step.
template <typename Message>
Result<ColumnPointer> columnOfFile(const Message& column, const spec::FeatureColumn& spec,
                                   ColumnBuilder& builder)
{
    VocabularyRule rule;
    rule.feature = column.key();
    rule.defaultValue = column.has_default_value() ? column.default_value() : -1;
    rule.oovBuckets = column.num_oov_buckets();
    rule.file = builder.path(column.vocabulary_file()).string();
    if (isInteger(static_cast<DType>(column.dtype()))) {
        rule.words.emplace<IntegerVocabulary>();
    }
    CANNERY_TRY(readWords(rule.file, column.vocabulary_size(), spec, rule));
    const Result<void> sound = VocabularyColumn::check(rule, spec.name());
    if (!sound) {
        return tl::make_unexpected(Error(sound.error()).at(pathOf(spec, "default_value")));
    }
    CANNERY_TRY_ASSIGN(ColumnInfo info,
                       builder.info(spec.name(), SlotKind::Ids, rule.size() + rule.oovBuckets));
    return std::make_shared<const VocabularyColumn>(std::move(info), std::move(rule));
}

} // namespace

Result<ColumnPointer> createVocabularyFileColumn(const spec::FeatureColumn& spec,
                                                 ColumnBuilder& builder)
{
    return columnOfFile(spec.categorical_column_with_vocabulary_file(), spec, builder);
}

Result<ColumnPointer> createVocabularyFileSequence(const spec::FeatureColumn& spec,
                                                   ColumnBuilder& builder)
{
    CANNERY_TRY_ASSIGN(
        ColumnPointer ids,
        columnOfFile(spec.sequence_categorical_column_with_vocabulary_file(), spec, builder));
    return SequenceCategoricalColumn::of(std::move(ids));
}

} // namespace cannery::features
