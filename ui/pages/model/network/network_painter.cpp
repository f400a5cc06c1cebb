// SPDX-License-Identifier: GPL-3.0-only
#include "ui/pages/model/network/network_painter.h"

#include "ui/models/formats.h"
#include "ui/models/plan_facts.h"
#include "ui/pages/model/network/network_canvas.h"
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

#include <cmath>

namespace cannery::ui {
namespace {

void paintElided(QPainter& painter, const QRectF& where, int flags, const QString& text)
{
    paintWords(
        painter, where, flags,
        painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(where.width())));
}

} // namespace

NetworkSizes::NetworkSizes() : box(scaled(154), scaled(42)), column(scaled(170)), row(scaled(76)) {}

void paintLayerBox(QPainter& painter, const LayerBox& box)
{
    const QColor hue = box.isWrong   ? tokens().err
                       : box.isInput ? tokens().control
                                     : tokens().series[0];
    const QColor fill =
        mixed(tokens().surface, hue, (tokens().isDark ? 0.28 : 0.15) + (box.isChosen ? 0.12 : 0));
    paintSurface(painter, box.where, 6, fill,
                 box.isTarget                  ? tokens().accent
                 : box.isChosen || box.isWrong ? hue
                                               : QColor());
    const QRectF inside = box.where.adjusted(scaled(6), scaled(3), -scaled(6), -scaled(3));
    const QRectF upper(inside.topLeft(), QSizeF(inside.width(), inside.height() / 2));
    const QRectF lower = upper.translated(0, inside.height() / 2);
    painter.setPen(tokens().text);
    painter.setFont(textFont(TextRole::Strong));
    paintElided(painter, upper, Qt::AlignCenter, box.title);
    painter.setFont(textFont(TextRole::Axis));
    painter.setPen(tokens().isDark ? tokens().text : tokens().text2);
    paintElided(painter, lower, Qt::AlignCenter,
                box.parameters > 0 ? QStringLiteral("%1 · %2").arg(
                                         box.kind, formatShortCount(double(box.parameters)))
                                   : box.kind);
    if (!box.shape.isEmpty()) {
        painter.setPen(tokens().text2);
        const QRectF shape(box.where.center().x() + scaled(5), box.where.bottom() + scaled(1),
                           box.where.width() / 2, scaled(18));
        paintWords(painter, shape, Qt::AlignLeft | Qt::AlignVCenter, box.shape);
    }
    if (box.isCurrent) {
        paintFocusRing(painter, box.where, 6);
    }
}

void paintWay(QPainter& painter, const QPainterPath& way, bool isStrong)
{
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(isStrong ? tokens().accent : tokens().border, isStrong ? 2.0 : 1.4));
    painter.drawPath(way);
    // Where it ends, an arrowhead: what reads.
    const QPointF tip = way.currentPosition();
    const double angle = way.angleAtPercent(1.0) * M_PI / 180;
    const QPointF along(std::cos(angle), -std::sin(angle));
    const QPointF across(along.y(), -along.x());
    const double size = scaled(5);
    painter.setPen(Qt::NoPen);
    painter.setBrush(isStrong ? tokens().accent : tokens().border);
    painter.drawPolygon(QPolygonF{tip, tip - along * size * 1.5 + across * size,
                                  tip - along * size * 1.5 - across * size});
}

void paintPlus(QPainter& painter, const QPointF& where)
{
    const double radius = scaled(8);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens().accent);
    painter.drawEllipse(where, radius, radius);
    painter.setPen(QPen(tokens().onAccent, 1.8));
    painter.drawLine(where - QPointF(radius / 2, 0), where + QPointF(radius / 2, 0));
    painter.drawLine(where - QPointF(0, radius / 2), where + QPointF(0, radius / 2));
}

QString costWords(const PlanLayer& layer)
{
    QStringList words{NetworkCanvas::tr("gives %1").arg(layer.shape)};
    if (layer.parameters > 0) {
        words << NetworkCanvas::tr("%1 parameters").arg(formatCount(layer.parameters));
    }
    if (layer.multiplyAdds > 0) {
        words << NetworkCanvas::tr("%1 multiply-adds for a row")
                     .arg(formatShortCount(double(layer.multiplyAdds)));
    }
    return words.join(QStringLiteral(", "));
}

} // namespace cannery::ui
