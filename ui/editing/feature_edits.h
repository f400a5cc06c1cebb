// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/column_removal.h"
#include "ui/document/field_edit.h"
#include "ui/editing/feature_facts.h"

#include <QList>
#include <QString>
#include <QStringList>

namespace cannery::ui {

struct FieldNode;

/// A list of feature columns in the estimator.
struct ColumnList
{
    QString path;         ///< "estimator.linear_classifier.feature_columns"
    bool isDense = false; ///< takes dense numbers only: the deep side of a model
    bool isSteps = false; ///< takes columns with a value for each step, and no others
    QStringList names;
};

/// The lists of the estimator that an experiment has, in the schema's order, also the empty ones.
QList<ColumnList> columnLists(const FieldNode& root);

// The edits of an experiment's feature columns, each for one undo step. Whatever names a column
// follows: lists of the estimator, crosses, and columns made from it. They only read `root`, which
// must be that of the text that is edited.

/// A name that no feature column has: `wanted`, otherwise "wanted_2", …
QString freeName(const FieldNode& root, const QString& wanted);

QList<FieldEdit> renameColumnEdits(const FieldNode& root, const QString& name,
                                   const QString& newName);

/// Inserts a copy after the column; nothing uses it yet. `text` is the column as written, in
/// braces.
QList<FieldEdit> duplicateColumnEdits(const FieldNode& root, const QString& name,
                                      const QString& text, const QString& newName);

/// To another index of the list of columns.
QList<FieldEdit> moveColumnEdits(const FieldNode& root, const QString& name, int target);

/// A new column, `text` in braces, and its place in lists.
struct NewColumn
{
    QString name;
    QString text;
    bool wide = false;     ///< used by the linear side
    bool deep = false;     ///< used by the network
    bool hasSteps = false; ///< has a value for each step of a sequence
};
/// Added at the end, in this order. A side that the estimator does not have is left out.
QList<FieldEdit> addColumnEdits(const FieldNode& root, const QList<NewColumn>& columns);

/// Makes exactly these sides use the column.
QList<FieldEdit> useColumnEdits(const FieldNode& root, const QString& name, bool wide, bool deep);

} // namespace cannery::ui
