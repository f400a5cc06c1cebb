// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_reading.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/parsed_experiment.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text_edit.h"
#include "core/spec/text_escapes.h"
#include "core/spec/text_reader.h"
#include "ui/document/field_tree.h"

namespace cannery::ui {
namespace {

/// The page of the field at a line: a broken text has no paths.
QString pageOfLine(const spec::SyntaxTree& tree, int line)
{
    QString page = QStringLiteral("data");
    for (const spec::SyntaxField& field : tree.root.fields) {
        if (tree.lineOf(field.nameRange.begin) <= line) {
            page = pageOfField(QString::fromStdString(field.name));
        }
    }
    return page;
}

ProblemRow rowOf(const spec::Problem& problem, const spec::SyntaxTree& tree, const QString& file)
{
    ProblemRow row;
    row.level = problem.severity == spec::Severity::Error ? ProblemRow::Level::Error
                                                          : ProblemRow::Level::Warning;
    row.id = QString::fromStdString(problem.error.id);
    row.file = file;
    row.line = problem.line;
    row.column = problem.column;
    row.path = QString::fromStdString(problem.fieldPath);
    row.sentence = QString::fromStdString(problem.error.message());
    row.page = row.path.isEmpty() ? pageOfLine(tree, row.line) : pageOfField(row.path);
    return row;
}

/// Quotes a bare text for a string field.
std::string writtenValue(const spec::SpecPath& path, const std::string& value)
{
    const auto field = spec::describePath(spec::Experiment::default_instance(), path);
    const bool isText = field &&
                        (*field)->cpp_type() == google::protobuf::FieldDescriptor::CPPTYPE_STRING &&
                        (!(*field)->is_repeated() || path.steps.back().hasElement());
    const bool isQuoted = value.starts_with('"') || value.starts_with('\'');
    return isText && !isQuoted ? spec::quotedText(value) : value;
}

} // namespace

ExperimentReadingPtr readExperiment(const QByteArray& bytes, const QString& file)
{
    const spec::ParsedExperiment parsed = spec::checkExperiment(bytes.toStdString(), {});
    auto reading = std::make_shared<ExperimentReading>();
    reading->bytes = bytes;
    reading->name = QString::fromStdString(parsed.experiment.name());
    for (const spec::Problem& problem : parsed.problems) {
        reading->problems << rowOf(problem, parsed.tree, file);
    }
    reading->root = buildFieldTree(
        spec::hasErrors(parsed.problems) ? parsed.experiment : spec::resolve(parsed.experiment),
        parsed.tree);
    return reading;
}

QByteArray TextChange::applied(const QByteArray& text) const
{
    return text.first(begin) + replacement + text.sliced(end);
}

TextChange TextChange::inverse(const QByteArray& text) const
{
    return {begin, begin + replacement.size(), text.sliced(begin, end - begin)};
}

std::optional<TextChange> fieldChange(const QByteArray& text, const QString& path,
                                      const QString& value, QString& error)
{
    const auto refuse = [&](const Error& why) {
        error = QString::fromStdString(why.message());
        return std::nullopt;
    };
    const Result<spec::SpecPath> steps = spec::parsePath(path.toStdString());
    if (!steps) {
        return refuse(steps.error());
    }
    const spec::SyntaxTree tree = spec::readText(text.toStdString()).tree;
    const std::string written = value.trimmed().toStdString();
    const Result<spec::TextEdit> edit =
        written.empty() ? spec::clearFieldEdit(tree, *steps)
                        : spec::setFieldEdit(tree, *steps, writtenValue(*steps, written));
    if (!edit) {
        return refuse(edit.error());
    }
    return TextChange{static_cast<qsizetype>(edit->range.begin),
                      static_cast<qsizetype>(edit->range.end),
                      QByteArray::fromStdString(edit->replacement)};
}

QByteArray renamedExperiment(const QByteArray& text, const QString& name)
{
    QString ignored;
    const auto change = fieldChange(text, QStringLiteral("name"), name, ignored);
    return change ? change->applied(text) : text;
}

QString pageOfField(const QString& path)
{
    const QString first = path.section(u'.', 0, 0).section(u'[', 0, 0);
    if (first == QLatin1String("data")) {
        return QStringLiteral("data");
    }
    return first == QLatin1String("feature_column") ? QStringLiteral("features")
                                                    : QStringLiteral("model");
}

} // namespace cannery::ui
