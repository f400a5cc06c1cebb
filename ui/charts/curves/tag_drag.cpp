// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/tag_drag.h"

#include <QDrag>
#include <QMimeData>

namespace cannery::ui {
namespace {

QString tagMime()
{
    return QStringLiteral("application/x-cannery-tag");
}

} // namespace

void dragTag(const QString& tag, QWidget& source)
{
    auto* drag = new QDrag(&source);
    auto* data = new QMimeData;
    data->setData(tagMime(), tag.toUtf8());
    data->setText(tag);
    drag->setMimeData(data);
    drag->exec(Qt::CopyAction);
}

QString draggedTag(const QMimeData& data)
{
    return QString::fromUtf8(data.data(tagMime()));
}

} // namespace cannery::ui
