// SPDX-License-Identifier: GPL-3.0-only
#include "ui/document/experiment_reading.h"

#include "core/spec/experiment.pb.h"
#include "core/spec/message_access.h"
#include "core/spec/spec_resolver.h"
#include "core/spec/spec_validator.h"
#include "core/spec/text/parsed_experiment.h"
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

/// What makes a source read another file: its first field that names files.
QList<FieldEdit> pathEdits(const spec::DataSource& source, const QString& at, const QString& path)
{
    const google::protobuf::FieldDescriptor* member = spec::memberField(source);
    if (member == nullptr) {
        return {};
    }
    const google::protobuf::Descriptor& kind = *member->message_type();
    for (int i = 0; i < kind.field_count(); ++i) {
        const google::protobuf::FieldDescriptor& field = *kind.field(i);
        if (spec::infoOf(field).names() == spec::FieldInfo::FILE) {
            const QString value = field.is_repeated() ? quotedList({path}) : quoted(path);
            return {FieldEdit::set(QStringLiteral("%1.%2.%3")
                                       .arg(at, QString::fromStdString(member->name()),
                                            QString::fromStdString(field.name())),
                                   value)};
        }
    }
    return {};
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
    reading->network = outlineOf(parsed.experiment);
    // Of the resolved experiment, so that the forms show what the engine will use.
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

QByteArray withTable(const QByteArray& text, const QString& path)
{
    const spec::ParsedExperiment parsed = spec::checkExperiment(text.toStdString(), {});
    const spec::Data& data = parsed.experiment.data();
    QList<FieldEdit> edits = pathEdits(data.train(), QStringLiteral("data.train"), path);
    if (data.has_eval()) {
        edits << pathEdits(data.eval(), QStringLiteral("data.eval"), path);
    }
    QString ignored;
    const auto change = editChange(text, edits, ignored);
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
