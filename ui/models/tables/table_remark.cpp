// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/table_remark.h"

#include "core/reports/check.pb.h"
#include "ui/models/report_reader.h"

#include <QJsonObject>

namespace cannery::ui {

QString TableRemark::key() const
{
    return (QStringList{id} + columns).join(QLatin1Char('\n'));
}

QList<TableRemark> tableRemarksFromJson(const QJsonObject& preview)
{
    // Without the table, which may be long.
    const QString key = QStringLiteral("remarks");
    reports::Check answer;
    readAnswer({{key, preview.value(key)}}, answer);
    QList<TableRemark> remarks;
    for (const reports::Remark& report : answer.remarks()) {
        TableRemark remark{.id = QString::fromStdString(report.id()),
                           .sentence = QString::fromStdString(report.sentence()),
                           .columns = textsOf(report.columns()),
                           .isNote = report.level() == "note",
                           .actions = {}};
        for (const reports::RemarkAction& action : report.actions()) {
            RemarkAction& made = remark.actions.emplaceBack();
            made.kind = QString::fromStdString(action.kind());
            for (const reports::RemarkEdit& edit : action.edits()) {
                made.edits << RemarkAction::Edit{QString::fromStdString(edit.path()),
                                                 QString::fromStdString(edit.text())};
            }
        }
        remarks << remark;
    }
    return remarks;
}

} // namespace cannery::ui
