// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/document/field_edit.h"

#include <QList>
#include <QString>
#include <QStringList>

#include <functional>

namespace cannery::ui {

struct FieldNode;

// What names a feature column, and what goes with it. They only read `root`, which must be that of
// the text that is edited.

/// Calls for each text in a node that names a feature column; elements of a list for themselves.
void eachReference(const FieldNode& node, const std::function<void(const FieldNode&)>& found);

/// The feature column that a path leads into ("feature_column[age].numeric_column"); empty if there
/// is none.
QString columnAtPath(const FieldNode& root, const QString& path);

/// Whether anything in a field names this feature column.
bool refersToColumn(const FieldNode& field, const QString& name);

/// The columns that are removed with some, these first: those that are made from them alone, and
/// crosses that would keep fewer than two inputs.
QStringList removedWith(const FieldNode& root, const QStringList& names);
/// Removes them as one undo step; lists of the estimator, crosses and columns made from them
/// follow.
QList<FieldEdit> removeColumnEdits(const FieldNode& root, const QStringList& names);

} // namespace cannery::ui
