// SPDX-License-Identifier: Apache-2.0
#include "core/export/program/data_program.h"

#include "core/export/program/cell_program.h"
#include "core/export/program/python_fragments.h"
#include "core/export/program/python_text.h"
#include "core/export/program/references.h"
#include "core/export/program/slice_program.h"
#include "core/export/program/source_programs.h"
#include "core/spec/canned_head.h"
#include "core/spec/checks/validation_context.h"
#include "core/spec/head_kinds.h"
#include "core/spec/message_access.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

namespace cannery::exporting {

namespace {

class DataWriter
{
public:
    DataWriter(const spec::Experiment& experiment, RefusedFields& refused)
        : m_experiment(experiment), m_data(experiment.data()), m_refused(refused)
    {}

    std::string text();

private:
    std::string sourceCall(const spec::DataSource& source, const std::string& path);
    std::string partFunction();
    std::string randomPart(std::string_view rule, bool isStratified);
    std::string splitConstants() const;
    std::string features();
    std::string labels();
    std::string columnText(const std::string& column);
    std::string columnText(const spec::ColumnList& columns);
    std::string split(const spec::SplitCell& cell);
    std::string table() const;
    std::string columnEntry(const spec::Column& column) const;
    std::string inputText() const;
    std::string readableFunction() const;
    std::string usableFunction() const;
    std::string classRule(const std::string& column) const;
    const spec::Column* find(const std::string& column) const;
    spec::DateNotation::Name notationOf(const std::string& column) const;
    const spec::Feature* findFeature(const std::string& name) const;
    std::vector<std::string> modelFeatures();

    const spec::Experiment& m_experiment;
    const spec::Data& m_data;
    RefusedFields& m_refused;
    const SourceProgram* m_source = nullptr; ///< of the training rows
    std::string m_number = "float";          ///< reads a number
    spec::DecimalMark::Name m_mark = spec::DecimalMark::point;
    std::set<std::string> m_columns;      ///< of the table, that the program reads
    std::set<std::string> m_dates;        ///< of these, which hold dates
    std::set<std::string_view> m_helpers; ///< fragments that it needs
};

const spec::Column* DataWriter::find(const std::string& column) const
{
    const auto found = std::find_if(m_data.column().begin(), m_data.column().end(),
                                    [&](const spec::Column& c) { return c.name() == column; });
    return found == m_data.column().end() ? nullptr : &*found;
}

spec::DateNotation::Name DataWriter::notationOf(const std::string& column) const
{
    const spec::Column* dates = find(column);
    return dates == nullptr ? spec::DateNotation::iso : dates->date_notation();
}

const spec::Feature* DataWriter::findFeature(const std::string& name) const
{
    const auto found = std::find_if(m_data.feature().begin(), m_data.feature().end(),
                                    [&](const spec::Feature& f) { return f.name() == name; });
    return found == m_data.feature().end() ? nullptr : &*found;
}

std::vector<std::string> DataWriter::modelFeatures()
{
    const std::set<std::string> names = referencedFeatures(m_experiment, m_experiment.estimator());
    return {names.begin(), names.end()};
}

std::string DataWriter::split(const spec::SplitCell& cell)
{
    m_columns.insert(cell.column());
    m_helpers.insert(fragments::kPieces);
    return fmt::format("pieces(rows, {}, {}, {}, {})", pythonText(cell.column()),
                       pythonText(cell.separator()), kindText(cell.dtype()),
                       arrayType(cell.dtype()));
}

std::string DataWriter::features()
{
    std::string entries;
    const std::vector<std::string> wanted = modelFeatures();
    for (const std::string& name : wanted) {
        const spec::Feature* made = findFeature(name);
        std::string text;
        if (made == nullptr || made->has_column()) {
            text = columnText(made == nullptr ? name : made->column());
        } else if (made->has_split()) {
            m_helpers.insert(fragments::kTrimmed);
            text = split(made->split());
        } else if (made->has_date_part()) {
            m_helpers.insert({fragments::kTime, dateReaders()});
            const spec::DatePart& part = made->date_part();
            m_columns.insert(part.column());
            m_dates.insert(part.column());
            text = datePartsCall(part, notationOf(part.column()));
        } else {
            std::vector<std::string> columns;
            for (const std::string& column : made->stack().columns()) {
                m_columns.insert(column);
                columns.push_back(pythonText(column));
            }
            std::vector<std::string> shape;
            for (const std::int64_t extent : made->stack().shape()) {
                shape.push_back(fmt::format("{}", extent));
            }
            m_helpers.insert(fragments::kStacked);
            text = PythonCall("stacked")
                       .add("rows")
                       .add(pythonList(columns))
                       .add(shape.empty() ? fmt::format("[{}]", columns.size()) : pythonList(shape))
                       .add(std::string(arrayType(made->stack().dtype())))
                       .text();
        }
        entries += fmt::format("\n        {}: {},", pythonText(name), indented(indented(text)));
    }
    if (referencedColumns(m_experiment.estimator()).empty()) {
        // A baseline reads no feature, but TensorFlow counts the rows of one.
        entries += "\n        'row': np.zeros(len(rows), np.float32),";
    }
    return fmt::format(
        "\n\ndef features_of(rows):\n    \"\"\"What the model reads of the rows.\"\"\"\n"
        "    return {{{}\n    }}\n",
        entries);
}

/// A column of the table, as a feature or a label.
std::string DataWriter::columnText(const std::string& column)
{
    m_columns.insert(column);
    m_helpers.insert(fragments::kDense);
    return fmt::format("dense(rows, {})", pythonText(column));
}

std::string DataWriter::columnText(const spec::ColumnList& columns)
{
    std::vector<std::string> each;
    for (const std::string& column : columns.column()) {
        each.push_back(columnText(column));
    }
    return fmt::format("np.stack({}, axis=1)", pythonList(each));
}

std::string DataWriter::labels()
{
    const spec::Label& label = m_data.label();
    std::string text;
    switch (label.kind_case()) {
    case spec::Label::kColumn:
        text = columnText(label.column());
        break;
    case spec::Label::kColumns:
        text = columnText(label.columns());
        break;
    case spec::Label::kSplit:
        // Predictions of several numbers a step would need a third axis.
        if (spec::predictsEveryStep(m_experiment.estimator()) &&
            spec::labelWidth(spec::headOf(m_experiment.estimator())) > 1) {
            m_refused.add("data.label.split", "a program reads one value for each step");
        }
        text = split(label.split());
        break;
    case spec::Label::kHeads:
        for (const spec::HeadLabel& head : label.heads().head()) {
            const std::string one = head.has_columns() ? columnText(head.columns())
                                    : head.has_split() ? split(head.split())
                                                       : columnText(head.column());
            text += fmt::format("\n        {}: {},", pythonText(head.name()), one);
        }
        text = "{" + text + "\n    }";
        break;
    case spec::Label::KIND_NOT_SET:
        return "";
    }
    return fmt::format("\n\ndef labels_of(rows):\n    return {}\n", text);
}

std::string DataWriter::columnEntry(const spec::Column& column) const
{
    const std::string_view kind = kindText(column.dtype());
    std::string reader(kind == "float" ? std::string_view(m_number) : kind);
    if (column.has_number_notation() && kind != "str") {
        reader = writtenNumberReader(column.number_notation(), kind, m_mark);
    }
    std::string fallback = kind == "str" ? pythonText(column.default_value()) : "None";
    if (kind != "str" && column.has_default_value()) {
        fallback = column.default_value();
    }
    std::vector<std::string> missing{"''"};
    for (const std::string& token : column.missing_token()) {
        missing.push_back(pythonText(token));
    }
    std::sort(missing.begin(), missing.end());
    missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
    return fmt::format("\n    {}: ({}, {}, {}),", pythonText(column.name()), reader, fallback,
                       pythonList(missing));
}

std::string DataWriter::table() const
{
    std::string entries;
    for (const std::string& name : m_columns) {
        const spec::Column* column = find(name);
        spec::Column unknown;
        unknown.set_name(name);
        entries += columnEntry(column == nullptr ? unknown : *column);
    }
    // The readers made by written() look their dtype up, so its key must be there even if the table
    // itself is read with another float reader.
    const bool areWritten = entries.find(": (written(") != std::string::npos;
    return fmt::format(
        "\nDTYPES = {{{}{}: np.float32, int: np.int64, str: object}}\n{}\n{}# Column: how its "
        "cells are read, the value of a missing one, and texts that mean missing.\nTABLE = "
        "{{{}\n}}\n",
        areWritten && m_number != "float" ? "float: np.float32, " : "", m_number,
        areWritten ? "\n" + std::string(writtenNumbers()) : "", areWritten ? "\n" : "", entries);
}

/// The rows of a source. Both sources are read by the training source's functions.
std::string DataWriter::sourceCall(const spec::DataSource& source, const std::string& path)
{
    const google::protobuf::Message* files = spec::memberOf(source);
    const SourceProgram* row = files == nullptr ? nullptr : sourceProgram(*files);
    if (row == nullptr || row != m_source) {
        m_refused.add(path, row == nullptr
                                ? "a program does not read this kind of source"
                                : "a program reads both parts from the same kind of source");
        return "[]";
    }
    if (row->refuse != nullptr) {
        row->refuse(*files, path, m_refused);
    }
    const std::string rows = row->readCall(*files);
    return m_helpers.contains(fragments::kReadable) ? "readable(" + rows + ")" : rows;
}

/// The rows of a part that a rule chooses by their number.
std::string DataWriter::randomPart(std::string_view rule, bool isStratified)
{
    m_helpers.insert(fragments::kPermutation);
    m_helpers.insert(rule);
    if (isStratified) {
        m_helpers.insert(fragments::kFingerprints);
    } else {
        return "    return [row for i, row in enumerate(rows) if is_held_back(i, 0) != "
               "is_training]\n";
    }
    const std::vector<std::string> labels = spec::labelColumns(m_data);
    const std::string label = pythonText(labels.empty() ? "" : labels.front());
    // Rows are numbered within their label, so that each label is split in the same proportion.
    return fmt::format(R"(    kept, seen = [], {{}}
    for row, key in zip(rows, fingerprints([row[{}] for row in rows])):
        seen[key] = seen.get(key, -1) + 1
        if is_held_back(seen[key], key) != is_training:
            kept.append(row)
    return kept
)",
                       label);
}

/// part(is_training): the rows of a part.
std::string DataWriter::partFunction()
{
    const std::string head =
        std::string(m_helpers.contains(fragments::kUsable) ? "\n\n@usable" : "\n") +
        "\ndef part(is_training):\n    \"\"\"The rows to train or to evaluate on.\"\"\"\n";
    const std::string train = indented(sourceCall(m_data.train(), "data.train"));
    const spec::Split& split = m_data.split();
    if (m_data.has_eval()) {
        return fmt::format("{}    if is_training:\n        return {}\n    return {}\n", head,
                           indented(train), indented(sourceCall(m_data.eval(), "data.eval")));
    }
    const std::string rows = fmt::format("{}    rows = {}\n", head, train);
    if (split.has_by_column()) {
        std::vector<std::string> values;
        for (const std::string& value : split.by_column().eval_values()) {
            values.push_back(pythonText(value));
        }
        return rows +
               fmt::format("    return [row for row in rows if (row[{}] in {}) != is_training]\n",
                           pythonText(split.by_column().column()), pythonList(values));
    }
    if (split.has_by_time()) {
        m_helpers.insert({fragments::kTime, dateReaders()});
        const std::string& column = split.by_time().column();
        const std::string text = fmt::format("row[{}]", pythonText(column));
        return rows + fmt::format("    start = iso_time({})[:2]\n"
                                  "    return [row for row in rows\n"
                                  "            if ({}[:2] < start) == is_training]\n",
                                  pythonText(split.by_time().eval_from()),
                                  dateReadCall(text, notationOf(column)));
    }
    if (split.has_fold()) {
        return rows + randomPart(fragments::kFold, split.fold().stratify());
    }
    return m_data.has_split() ? rows + randomPart(fragments::kFraction, split.fraction().stratify())
                              : rows + "    return rows\n";
}

/// The numbers that the rules of randomPart() read.
std::string DataWriter::splitConstants() const
{
    const spec::Split& split = m_data.split();
    if (m_helpers.contains(fragments::kFraction)) {
        return fmt::format("EVAL_FRACTION, SPLIT_SEED = {}, {}\n",
                           pythonNumber(split.fraction().eval_fraction()),
                           static_cast<std::uint64_t>(split.fraction().seed()));
    }
    if (m_helpers.contains(fragments::kFold)) {
        return fmt::format("FOLDS, FOLD, SPLIT_SEED = {}, {}, {}\n", split.fold().folds(),
                           split.fold().fold(), static_cast<std::uint64_t>(split.fold().seed()));
    }
    return {};
}

/// readable(), which also tries what the split reads.
std::string DataWriter::readableFunction() const
{
    std::string dates;
    if (m_data.split().has_by_time()) {
        const std::string& column = m_data.split().by_time().column();
        dates = "\n            " +
                dateReadCall(fmt::format("row[{}]", pythonText(column)), notationOf(column));
    }
    // Rows with a date that cannot be read are left out where bad rows are skipped.
    for (const std::string& column : m_dates) {
        const std::string name = pythonText(column);
        dates += fmt::format("\n            if row[{0}] not in TABLE[{0}][2]:\n                {1}",
                             name, dateReadCall(fmt::format("row[{}]", name), notationOf(column)));
    }
    std::string text(fragments::kReadable);
    const std::string_view place = "@TIME@";
    text.replace(text.find(place), place.size(), dates);
    return text;
}

/// usable(), with what makes a row unusable. A label that is a list may be empty.
std::string DataWriter::usableFunction() const
{
    const bool skipsBad = m_data.bad_rows() == spec::BadRows::SKIP;
    std::vector<std::string> rules;
    for (const std::string& column : spec::labelColumns(m_data)) {
        const std::string name = pythonText(column);
        const bool isList = m_data.label().has_split();
        if (!isList) {
            rules.push_back(fmt::format("row[{0}] not in TABLE[{0}][2]", name));
        }
        if (skipsBad && m_data.label().has_column()) {
            rules.push_back(classRule(name));
        }
    }
    if (skipsBad) {
        rules.emplace_back("all(kind is str or default is not None or row[column] not in missing\n"
                           "                    for column, (kind, default, missing) in "
                           "TABLE.items())");
    }
    std::erase(rules, std::string());
    std::string text(fragments::kUsable);
    const std::string_view place = "@RULES@";
    text.replace(text.find(place), place.size(),
                 fmt::format("{}", fmt::join(rules, " and\n                ")));
    return text;
}

/// Whether the head has the label of a row, which is in this column; empty if it takes any label.
std::string DataWriter::classRule(const std::string& column) const
{
    const spec::Head head = spec::headOf(m_experiment.estimator());
    const spec::HeadKind* kind = spec::findHeadKind(head);
    if (kind == nullptr) {
        return {};
    }
    std::vector<std::string> words;
    for (const std::string& word : spec::textsIn(*spec::memberOf(head), "label_vocabulary")) {
        words.push_back(pythonText(word));
    }
    if (!words.empty()) {
        return fmt::format("row[{}] in {}", column, pythonList(words));
    }
    if (kind->labels == spec::LabelKind::ClassId) {
        return fmt::format("0 <= int(row[{}]) < {}", column, spec::classCount(head));
    }
    return kind->labels == spec::LabelKind::Probability
               ? fmt::format("0 <= float(row[{}]) <= 1", column)
               : std::string();
}

std::string DataWriter::inputText() const
{
    const bool hasLabels = m_data.label().kind_case() != spec::Label::KIND_NOT_SET;
    const bool isGiven = hasSlices(m_experiment); // the rows of a group
    std::string text(fragments::kInput);
    const auto fill = [&text](std::string_view place, std::string_view with) {
        text.replace(text.find(place), place.size(), with);
    };
    fill("@ROWS_ARGUMENT@", isGiven ? ", some=None" : "");
    fill("@ROWS@", isGiven ? "rows = part(is_training) if some is None else some"
                           : "rows = part(is_training)");
    fill("@TRIM@",
         m_helpers.contains(fragments::kTrimmed) ? "\n        dataset = dataset.map(trimmed)" : "");
    fill("@SLICES@", hasLabels ? "(features_of(rows), labels_of(rows))" : "features_of(rows)");
    return text;
}

std::string DataWriter::text()
{
    if (m_data.bad_rows() == spec::BadRows::SKIP) {
        m_helpers.insert(fragments::kReadable);
    }
    if (m_data.bad_rows() == spec::BadRows::SKIP ||
        m_data.unlabelled_rows() == spec::BadRows::SKIP) {
        m_helpers.insert(fragments::kUsable);
    }
    const google::protobuf::Message* train = spec::memberOf(m_data.train());
    m_source = train == nullptr ? nullptr : sourceProgram(*train);
    if (m_source != nullptr) {
        m_number = m_source->numberReader(*train);
        m_mark = m_number == "float" ? spec::DecimalMark::point : spec::DecimalMark::comma;
    }
    // The order of the calls matters: each of them adds to the columns and helpers that table() and
    // the loop below write.
    const std::string featureText = features();
    const std::string labelFunction = labels();
    const std::string partText = partFunction();
    m_columns.merge(sliceColumns(m_experiment));
    std::string constants = table();
    if (m_source != nullptr) {
        constants = m_source->numberReaderDefinition(*train) + constants;
    }
    std::string text = constants + splitConstants();
    text += "\n" + std::string(fragments::kPath);
    if (m_source != nullptr) {
        text += "\n" + m_source->readFunction(*train);
    }
    // In the order in which a reader needs them: each uses only what is above it.
    for (const std::string_view fragment :
         {fragments::kTime, dateReaders(), fragments::kReadable, fragments::kUsable,
          fragments::kPermutation, fragments::kFraction, fragments::kFold, fragments::kFingerprints,
          fragments::kValue, fragments::kDense, fragments::kStacked, fragments::kPieces,
          fragments::kTrimmed}) {
        if (fragment == fragments::kReadable && m_helpers.contains(fragment)) {
            text += "\n" + readableFunction();
        } else if (fragment == fragments::kUsable && m_helpers.contains(fragment)) {
            text += "\n" + usableFunction();
        } else if (fragment == fragments::kValue || m_helpers.contains(fragment)) {
            text += "\n" + std::string(fragment);
        }
    }
    return text + partText + featureText + labelFunction + "\n" + inputText();
}

} // namespace

std::set<std::string> dataImports(const spec::Experiment& experiment)
{
    std::set<std::string> modules{"os"};
    const google::protobuf::Message* train = spec::memberOf(experiment.data().train());
    const SourceProgram* row = train == nullptr ? nullptr : sourceProgram(*train);
    std::istringstream names(std::string(row == nullptr ? "" : row->imports));
    for (std::string name; names >> name;) {
        modules.insert(name);
    }
    modules.merge(cellImports(experiment.data()));
    if (hasSlices(experiment)) {
        modules.insert({"collections", "re"});
    }
    return modules;
}

std::string dataProgram(const spec::Experiment& experiment, RefusedFields& refused)
{
    return DataWriter(experiment, refused).text();
}

} // namespace cannery::exporting
