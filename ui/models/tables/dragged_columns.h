// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QMimeData>
#include <QStringList>

namespace cannery::ui {

/// The type of what is dragged with columns of the table.
QString draggedColumnsType();
/// A drag with these columns. The caller owns it.
QMimeData* dragOfColumns(const QStringList& columns);
/// The columns' names, in the order of the drag; empty without columns.
QStringList draggedColumns(const QMimeData& drag);

} // namespace cannery::ui
