// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"
#include "ui/models/tables/column_facts.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

class ExperimentDocument;

/// How evaluation rows are separated from training rows.
enum class SplitWay
{
    Random,
    Fold,   ///< one of several equal parts, drawn at random
    Column, ///< rows with some values of a column
    Time,   ///< rows from a time on
    File,   ///< the rows of another file
    None,
};

SplitWay splitWayOf(const ExperimentDocument& document);

/// The columns whose few values the rows can be split by, and those that hold times.
QStringList valueColumns(const DataFacts& facts);
QStringList timeColumns(const DataFacts& facts);
/// Why the rows cannot be split in a way, a sentence; empty if they can.
QString splitHindrance(SplitWay way, const DataFacts& facts);

/// Changes the way, with about as many evaluation rows as there are now, a fifth if there are none.
/// `what`: the column, or the file; the first column that serves if empty.
QList<FieldEdit> splitEdits(const ExperimentDocument& document, SplitWay way,
                            const DataFacts& facts, const QString& what = {});

/// The times' hundredth from which on about this fraction of the rows is later.
QString timeFor(const QStringList& times, double fraction);
/// The fraction of the rows at or after a time, to a hundredth; the texts of ISO 8601 have the
/// order of time.
double fractionFrom(const QStringList& times, const QString& from);

} // namespace cannery::ui
