// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QList>
#include <QString>

class QJsonObject;

namespace cannery::ui {

/// A variable in a checkpoint.
struct CheckpointVariable
{
    QString name;
    QString type; ///< "float32"
    QList<qint64> shape;

    /// "12 × 4"; "a single number" for none.
    QString shapeText() const;
};

/// From the JSON of `cannery inspect CHECKPOINT --json`, in the order of the checkpoint.
QList<CheckpointVariable> checkpointVariablesFromJson(const QJsonObject& inspection);

/// A variable that a table of vectors could begin with, or why it cannot.
struct InitialTable
{
    CheckpointVariable variable;
    QString hindrance; ///< a sentence; empty if it fits
};

/// All variables for a table of `rows` vectors (-1: not known) with so many numbers each: first
/// those that fit.
QList<InitialTable> initialTables(const QList<CheckpointVariable>& variables, qint64 rows,
                                  qint64 dimension);

} // namespace cannery::ui
