// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_reading.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/parsed_experiment.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "ui/document/field_edit.h"
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
    reading->root = buildFieldTree(spec::resolve(parsed.experiment), parsed.tree);
    return reading;
}

QByteArray renamedExperiment(const QByteArray& text, const QString& name)
{
    QString ignored;
    const auto change =
        editChange(text, {FieldEdit::set(QStringLiteral("name"), quoted(name))}, ignored);
    return change ? change->applied(text) : text;
}

QByteArray withTrainTable(const QByteArray& text, const QString& path)
{
    QString ignored;
    const auto change = editChange(
        text, {FieldEdit::set(QStringLiteral("data.train.csv.files"), quotedList({path}))},
        ignored);
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
