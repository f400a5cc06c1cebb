// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/bare_chart.h"

#include <QChart>
#include <QGraphicsLayout>
#include <QGraphicsView>

namespace cannery::ui {

void makeBare(QChart& chart)
{
    chart.setBackgroundVisible(false);
    chart.setMargins({});
    chart.layout()->setContentsMargins(0, 0, 0, 0);
    chart.setAnimationOptions(QChart::NoAnimation);
}

void makeBare(QGraphicsView& view)
{
    view.setFrameShape(QFrame::NoFrame);
    view.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    view.setFocusPolicy(Qt::NoFocus);
    view.viewport()->setFocusPolicy(Qt::NoFocus);
    view.setInteractive(false);
}

} // namespace cannery::ui
