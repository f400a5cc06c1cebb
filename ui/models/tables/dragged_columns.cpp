// SPDX-License-Identifier: GPL-3.0-only
#include "ui/models/tables/dragged_columns.h"

namespace cannery::ui {
namespace {

/// Names may have any other character, line ends included.
constexpr QChar kBetween = u'\0';

} // namespace

QString draggedColumnsType()
{
    return QStringLiteral("application/x-cannery-columns");
}

QMimeData* dragOfColumns(const QStringList& columns)
{
    auto* drag = new QMimeData;
    if (!columns.isEmpty()) {
        drag->setData(draggedColumnsType(), columns.join(kBetween).toUtf8());
    }
    return drag;
}

QStringList draggedColumns(const QMimeData& drag)
{
    return drag.hasFormat(draggedColumnsType())
               ? QString::fromUtf8(drag.data(draggedColumnsType())).split(kBetween)
               : QStringList();
}

} // namespace cannery::ui
