// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/data/table_change.h"

#include "ui/document/experiment_document.h"
#include "ui/document/field_edit.h"
#include "ui/document/field_schema.h"
#include "ui/editing/experiment_facts.h"
#include "ui/pages/table_choice_dialog.h"
#include "ui/services/projects/project_session.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace cannery::ui {
namespace {

QString sourceOf(const ExperimentDocument& document, const QString& part)
{
    const QString kind = memberOf(document, part);
    return kind.isEmpty() ? QString() : childPath(part, kind);
}

/// Where the fields of the same database are: its rows are trained on, and perhaps evaluated on.
QStringList sourcesOfTrainFile(const ExperimentDocument& document)
{
    const ExperimentFacts facts = ExperimentFacts::of(document.root());
    QStringList sources{sourceOf(document, QStringLiteral("data.train"))};
    const QString eval = sourceOf(document, QStringLiteral("data.eval"));
    const QString train = sources.first();
    const bool isSameTable = facts.evalFiles == facts.trainFiles &&
                             document.value(eval + ".table") == document.value(train + ".table") &&
                             document.value(eval + ".query") == document.value(train + ".query");
    if (!eval.isEmpty() && isSameTable) {
        sources << eval;
    }
    return sources;
}

} // namespace

bool readsDatabase(const ExperimentDocument& document)
{
    const QString source = sourceOf(document, QStringLiteral("data.train"));
    return !source.isEmpty() && fieldSchema(childPath(source, "table")) &&
           fieldSchema(childPath(source, "query"));
}

bool isAboutChosenTable(const ExperimentDocument& document, const QString& errorId,
                        const QString& path)
{
    if (errorId == QLatin1String("spec.member_required")) {
        return readsDatabase(document) && path == sourceOf(document, QStringLiteral("data.train"));
    }
    static const QStringList kIds{"sqlite_source.which_table", "sqlite_source.no_table",
                                  "sqlite_source.query", "sqlite_source.no_rows",
                                  "sqlite_source.two_columns"};
    return kIds.contains(errorId);
}

void changeTable(ProjectSession& session, QWidget* window)
{
    ExperimentDocument& document = session.document();
    const QString source = sourceOf(document, QStringLiteral("data.train"));
    const QString file = ExperimentFacts::of(document.root()).trainFiles.value(0);
    const QString path = QFileInfo(document.file()).absoluteDir().absoluteFilePath(file);
    const RowsChoice current{.table = document.value(childPath(source, "table")),
                             .query = document.value(childPath(source, "query"))};
    TableChoiceDialog::ask(
        session, path, current, window,
        [&document, open = document.file(), current](const RowsChoice& rows) {
            if (document.file() != open || rows == current) {
                return;
            }
            QList<FieldEdit> edits;
            const QStringList sources = sourcesOfTrainFile(document);
            for (const QString& each : sources) {
                const QString table = childPath(each, "table");
                const QString query = childPath(each, "query");
                edits << (rows.table.isEmpty() ? FieldEdit::remove(table)
                                               : FieldEdit::set(table, quoted(rows.table)))
                      << (rows.query.isEmpty() ? FieldEdit::remove(query)
                                               : FieldEdit::set(query, quoted(rows.query)));
            }
            document.apply(QCoreApplication::translate("cannery::ui::DataPage", "Change the Table"),
                           edits);
        });
}

} // namespace cannery::ui
