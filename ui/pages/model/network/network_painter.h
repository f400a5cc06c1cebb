// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QString>

class QPainter;

namespace cannery::ui {

struct PlanLayer;

/// Of the drawing of a network, in pixels at the present text size.
struct NetworkSizes
{
    NetworkSizes();

    QSizeF box;
    double column; ///< from the middle of one box to that of the next
    double row;
};

/// How a layer looks.
struct LayerBox
{
    QRectF where;
    QString title;
    QString kind;
    QString shape = {}; ///< of what it gives, below the box; empty: not known
    qint64 parameters = 0;
    bool isInput = false;
    bool isChosen = false;
    bool isCurrent = false; ///< and the keyboard is used
    bool isWrong = false;
    bool isTarget = false; ///< a line that is drawn ends here
};

void paintLayerBox(QPainter& painter, const LayerBox& box);
void paintWay(QPainter& painter, const QPainterPath& way, bool isStrong);
/// The mark on a line that a layer may be put on.
void paintPlus(QPainter& painter, const QPointF& where);

/// "gives 8 × 8 × 16, 160 parameters, 9.2 k multiply-adds".
QString costWords(const PlanLayer& layer);

} // namespace cannery::ui
