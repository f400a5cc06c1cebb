// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/data_edits.h"

#include <QList>
#include <QString>

namespace cannery::ui {

class ExperimentDocument;

/// A use that a person can give to columns of the table.
struct ColumnUseRow
{
    ColumnUse use;
    QString name; ///< as the engine reports it: "label"
    QString title;
};

/// In the order to offer them; translated now.
QList<ColumnUseRow> columnUses();
/// "age", or "3 columns".
QString columnWords(const QStringList& columns);

// One step of the document each.

void useColumns(ExperimentDocument& document, const QStringList& columns, ColumnUse use);
/// An empty type is inferred.
void readColumnsAs(ExperimentDocument& document, const QStringList& columns, const QString& type);

} // namespace cannery::ui
