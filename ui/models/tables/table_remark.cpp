// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/table_remark.h"

#include <QJsonArray>
#include <QJsonObject>

namespace cannery::ui {

QString TableRemark::key() const
{
    return (QStringList{id} + columns).join(QLatin1Char('\n'));
}

QList<TableRemark> tableRemarksFromJson(const QJsonObject& preview)
{
    QList<TableRemark> remarks;
    for (const QJsonValue& json : preview.value("remarks").toArray()) {
        TableRemark remark{.id = json["id"].toString(),
                           .sentence = json["sentence"].toString(),
                           .columns = {},
                           .isNote = json["level"].toString() == QLatin1String("note"),
                           .actions = {}};
        for (const QJsonValue& column : json["columns"].toArray()) {
            remark.columns << column.toString();
        }
        for (const QJsonValue& action : json["actions"].toArray()) {
            RemarkAction& made = remark.actions.emplaceBack();
            made.kind = action["kind"].toString();
            for (const QJsonValue& edit : action["edits"].toArray()) {
                made.edits << RemarkAction::Edit{edit["path"].toString(), edit["text"].toString()};
            }
        }
        remarks << remark;
    }
    return remarks;
}

} // namespace cannery::ui
