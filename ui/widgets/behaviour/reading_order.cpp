// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/behaviour/reading_order.h"

#include <QScrollArea>
#include <QWidget>

#include <algorithm>

namespace cannery::ui {
namespace {

bool isOnTheLineOf(const QRect& first, const QRect& other)
{
    // Labels and fields of a row are rarely aligned to the pixel: half of the lower one is enough.
    const int shared =
        std::min(first.bottom(), other.bottom()) - std::max(first.top(), other.top());
    return shared * 2 > std::min(first.height(), other.height());
}

/// The visible children, line by line.
QList<QWidget*> inReadingOrder(const QWidget& parent)
{
    QList<QWidget*> rest;
    for (QObject* child : parent.children()) {
        auto* widget = qobject_cast<QWidget*>(child);
        if (widget != nullptr && !widget->isWindow() && !widget->isHidden()) {
            rest.append(widget);
        }
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [](const QWidget* a, const QWidget* b) { return a->y() < b->y(); });
    const bool isMirrored = parent.layoutDirection() == Qt::RightToLeft;
    QList<QWidget*> ordered;
    while (!rest.isEmpty()) {
        const QRect first = rest.first()->geometry();
        const auto behind =
            std::stable_partition(rest.begin(), rest.end(), [&](const QWidget* widget) {
                return isOnTheLineOf(first, widget->geometry());
            });
        QList<QWidget*> line(rest.begin(), behind);
        std::stable_sort(line.begin(), line.end(), [&](const QWidget* a, const QWidget* b) {
            return isMirrored ? a->geometry().right() > b->geometry().right() : a->x() < b->x();
        });
        if (line.isEmpty()) { // without height
            line.append(rest.first());
        }
        rest = rest.mid(line.size());
        ordered += line;
    }
    return ordered;
}

void collectStops(QWidget& widget, QList<QWidget*>& stops)
{
    if (!widget.isEnabled()) {
        return;
    }
    if ((widget.focusPolicy() & Qt::TabFocus) != 0 && widget.focusProxy() == nullptr) {
        stops.append(&widget);
    }
    for (QWidget* child : inReadingOrder(widget)) {
        collectStops(*child, stops);
    }
}

} // namespace

QList<QWidget*> stopsInReadingOrder(QWidget& root)
{
    QList<QWidget*> stops;
    collectStops(root, stops);
    return stops;
}

bool focusNextInReadingOrder(QWidget& root, bool next)
{
    const QList<QWidget*> stops = stopsInReadingOrder(root);
    const qsizetype at = stops.indexOf(root.focusWidget());
    if (at < 0 || stops.size() < 2) {
        return false;
    }
    const qsizetype step = next ? 1 : stops.size() - 1;
    QWidget* target = stops[(at + step) % stops.size()];
    target->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    for (QWidget* part = target->parentWidget(); part != nullptr; part = part->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(part)) {
            area->ensureWidgetVisible(target);
        }
    }
    return true;
}

} // namespace cannery::ui
