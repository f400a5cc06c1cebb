// SPDX-License-Identifier: GPL-3.0-only
#include "ui/editing/column_uses.h"

#include "ui/document/experiment_document.h"

#include <QCoreApplication>

namespace cannery::ui {
namespace {

QString useText(const char* text)
{
    return QCoreApplication::translate("ColumnUses", text);
}

} // namespace

QList<ColumnUseRow> columnUses()
{
    return {{ColumnUse::Feature, QStringLiteral("feature"), useText("Feature")},
            {ColumnUse::Label, QStringLiteral("label"), useText("Label")},
            {ColumnUse::Weight, QStringLiteral("weight"), useText("Weight")},
            {ColumnUse::Key, QStringLiteral("key"), useText("Key")}};
}

QString columnWords(const QStringList& columns)
{
    return columns.size() == 1 ? columns.first() : useText("%1 columns").arg(columns.size());
}

void useColumns(ExperimentDocument& document, const QStringList& columns, ColumnUse use)
{
    for (const ColumnUseRow& row : columnUses()) {
        if (row.use == use) {
            document.apply(useText("Use %1 as %2").arg(columnWords(columns), row.title),
                           useEdits(document, columns, use));
        }
    }
}

void readColumnsAs(ExperimentDocument& document, const QStringList& columns, const QString& type)
{
    document.apply(useText("Change type of %1").arg(columnWords(columns)),
                   typeEdits(document, columns, type));
}

} // namespace cannery::ui
