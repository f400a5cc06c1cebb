// SPDX-License-Identifier: Apache-2.0
#include "core/survey/value_remarks.h"

#include "core/advice/cell_values.h"
#include "core/base/folded_case.h"
#include "core/spec/column_kinds.h"
#include "core/spec/estimator_columns.h"
#include "core/spec/tensorflow_names.h"
#include "core/spec/text/spec_path.h"
#include "core/spec/text/text_escapes.h"
#include "storage/io/files.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace cannery::survey {

namespace {

constexpr ErrorKind kSentinel{"remark.sentinel", "{0} holds a number far from all others, again "
                                                 "and again ({1}): if it stands for a missing one, "
                                                 "make it a missing_token of {2}."};
constexpr ErrorKind kPieces{
    "remark.several_values",
    "Cells of {0} hold several values ({1}), and a model reads each combination as a value of its "
    "own. Split {2}, as in data.feature {{ split {{ column separator }} }}."};
constexpr ErrorKind kWords{
    "remark.words",
    "Words recur in the texts of {0}, which the model does not read: data.feature {{ name: \"{1}\" "
    "split {{ column: \"{1}\" separator: \" \" }} }} makes a feature of them."};
constexpr ErrorKind kSpellings{"remark.spellings", "{0} {1}."};
constexpr ErrorKind kUnnamed{
    "remark.unnamed", "The table's {0}. Name it in the header, or with column_names, to use it."};
constexpr ErrorKind kNoWord{
    "remark.vocabulary_file",
    "None of the values of {0} is in {1}, the vocabulary file of '{2}': all are out of vocabulary. "
    "{3}"};

constexpr std::size_t kMostLines = 1'000'000;

/// Letters in lower case, without blanks or quotes around them.
std::string bareWord(std::string_view text)
{
    constexpr std::string_view kAround = " \t\r\"'\xEF\xBB\xBF";
    const std::size_t begin = text.find_first_not_of(kAround);
    if (begin == std::string_view::npos) {
        return {};
    }
    return foldedCase(text.substr(begin, text.find_last_not_of(kAround) - begin + 1));
}

class ValueRemarkFinder
{
public:
    explicit ValueRemarkFinder(const ObservedTable& table) : m_table(table)
    {
        // Raw features are what the remarks are about; a model reads them through its feature
        // columns.
        const spec::ColumnIndex index(table.experiment);
        for (const spec::PartColumns& list : spec::partColumnsOf(table.experiment.estimator())) {
            for (const std::string& handle : list.handles) {
                const auto features = spec::rawFeatures(index, handle);
                if (features) {
                    m_read.insert(features->begin(), features->end());
                }
            }
        }
        for (const spec::Feature& feature : table.experiment.data().feature()) {
            if (feature.has_split() && m_read.contains(feature.name())) {
                m_split.insert(feature.split().column());
            }
        }
    }

    std::vector<TableRemark> findRemarks()
    {
        const std::string& label = m_table.experiment.data().label().column();
        for (const data::ColumnStatistics& column : m_table.statistics.columns) {
            const data::ColumnSchema* schema = m_table.schema.find(column.name);
            const bool isRead = m_read.contains(column.name);
            const bool isSplit = m_split.contains(column.name);
            // A column that is split is read by its pieces, whose counts are not those of its
            // cells.
            if (schema != nullptr && isRead && !isSplit) {
                checkNumbers(column);
                checkPieces(*schema, column);
            }
            if (schema != nullptr && !isRead && !isSplit && column.name != label) {
                checkTexts(*schema, column);
            }
            if ((isRead && !isSplit) || column.name == label) {
                checkSpellings(column);
            }
        }
        // Columns with the same remark share a sentence, so it is written when all have been seen.
        m_list.close(kSentinel);
        m_list.close(kPieces);
        checkVocabularies();
        checkNames();
        return std::move(m_list).take();
    }

private:
    void checkNumbers(const data::ColumnStatistics& column)
    {
        const std::optional<advice::Sentinel> sentinel = advice::findSentinel(column);
        if (!sentinel) {
            return;
        }
        std::string tokens = spec::quotedText(sentinel->text);
        // The edit replaces the whole list, so the tokens that are there already come along.
        for (const spec::Column& known : m_table.experiment.data().column()) {
            for (int i = 0; i < known.missing_token_size() && known.name() == column.name; ++i) {
                tokens += ", " + spec::quotedText(known.missing_token(i));
            }
        }
        spec::SpecPath path = spec::SpecPath{}.child("data").child("column");
        path.steps.back().name = column.name;
        m_list.note(kSentinel, column.name,
                    fmt::format("{} in {} rows", sentinel->text, sentinel->count),
                    {{.kind = "missing",
                      .edits = {{path.child("missing_token").toString(), "[" + tokens + "]"}}}});
    }

    void checkPieces(const data::ColumnSchema& schema, const data::ColumnStatistics& column)
    {
        const std::optional<std::string> separator =
            schema.kind == data::ColumnKind::Date ? std::nullopt : advice::findSeparator(column);
        if (separator) {
            m_list.note(kPieces, column.name, fmt::format("\"{}\" is between them", *separator),
                        {});
        }
    }

    void checkTexts(const data::ColumnSchema& schema, const data::ColumnStatistics& column)
    {
        if (schema.kind == data::ColumnKind::FreeText && advice::hasRecurringWords(column)) {
            m_list.add({.error = error(ErrorCode::InvalidArgument, kWords,
                                       namedColumns({column.name}), column.name),
                        .columns = {column.name},
                        .isNote = true});
        }
    }

    void checkSpellings(const data::ColumnStatistics& column)
    {
        if (const std::string remark = advice::spellingRemark(column); !remark.empty()) {
            m_list.add({.error = error(ErrorCode::InvalidArgument, kSpellings,
                                       namedColumns({column.name}), remark),
                        .columns = {column.name}});
        }
    }

    void checkVocabularies()
    {
        for (const spec::FeatureColumn& column : m_table.experiment.feature_column()) {
            const auto& words = column.categorical_column_with_vocabulary_file();
            if (!words.key().empty()) { // columns of other kinds have none there
                checkVocabulary(column, words);
            }
        }
    }

    void checkVocabulary(const spec::FeatureColumn& column, const spec::VocabularyFileColumn& words)
    {
        const data::ColumnStatistics* values = m_table.statistics.find(words.key());
        // A file that cannot be read is an error of the encoder's, with its cure. Here it only ends
        // a remark.
        const Result<std::string> text =
            storage::readWholeFile(storage::joinPath(m_table.folder, words.vocabulary_file()));
        if (values == nullptr || values->top.empty() || !text) {
            return;
        }
        std::set<std::string_view> lines;
        std::set<std::string> bare;
        std::string_view rest = *text;
        while (!rest.empty() && lines.size() < kMostLines) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(std::min(end + 1, rest.size()));
            line.remove_suffix(line.ends_with('\r') ? 1 : 0);
            lines.insert(line);
            bare.insert(bareWord(line));
        }
        std::string nearly;
        // One value that is a word clears the file: others may be meant to be out of vocabulary.
        for (const data::ValueCount& value : values->top) {
            if (lines.contains(value.value)) {
                return;
            }
            if (nearly.empty() && bare.contains(bareWord(value.value))) {
                nearly = value.value;
            }
        }
        const std::string cure =
            nearly.empty() ? std::string("Name the file of this column's words.")
                           : fmt::format("\"{}\" is, but for its case, blanks or quotes: write the "
                                         "words as the table has them.",
                                         nearly);
        m_list.add({.error = error(ErrorCode::InvalidArgument, kNoWord, namedColumns({words.key()}),
                                   words.vocabulary_file(), column.name(), cure),
                    .columns = {words.key()}});
    }

    void checkNames()
    {
        for (const std::string& warning : m_table.schema.warnings) {
            if (warning.find("has values but no name") != std::string::npos) {
                m_list.add({.error = error(ErrorCode::InvalidArgument, kUnnamed, warning),
                            .isNote = true});
            }
        }
    }

    const ObservedTable& m_table;
    std::set<std::string> m_read;  ///< raw features of the model
    std::set<std::string> m_split; ///< columns that it reads in pieces
    RemarkList m_list;
};

} // namespace

std::vector<TableRemark> valueRemarks(const ObservedTable& table)
{
    return ValueRemarkFinder(table).findRemarks();
}

} // namespace cannery::survey
