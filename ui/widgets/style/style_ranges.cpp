// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/style_painters.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QStyleOption>
#include <QWidget>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kGroove = 4;

} // namespace

void paintSlider(QPainter& painter, const QStyleOptionSlider& option, const QRect& groove,
                 const QRect& handle, const QWidget* widget)
{
    const ThemeTokens& t = tokens();
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool horizontal = option.orientation == Qt::Horizontal;
    QRectF line = groove;
    QRectF done;
    const QPointF middle = QRectF(handle).center();
    if (horizontal) {
        line = QRectF(groove.left(), middle.y() - kGroove / 2, groove.width(), kGroove);
        done = option.upsideDown ? line.adjusted(middle.x() - line.left(), 0, 0, 0)
                                 : line.adjusted(0, 0, middle.x() - line.right(), 0);
    } else {
        line = QRectF(middle.x() - kGroove / 2, groove.top(), kGroove, groove.height());
        done = option.upsideDown ? line.adjusted(0, middle.y() - line.top(), 0, 0)
                                 : line.adjusted(0, 0, 0, middle.y() - line.bottom());
    }
    paintSurface(painter, line, kGroove / 2, t.track);
    paintSurface(painter, done, kGroove / 2, enabled ? t.accent : t.control);
    const double side = std::min(handle.width(), handle.height()) - 1;
    QRectF knob(0, 0, side, side);
    knob.moveCenter(middle);
    const bool active = option.state.testFlag(QStyle::State_MouseOver) ||
                        option.state.testFlag(QStyle::State_Sunken);
    paintSurface(painter, knob, side / 2, t.raised, active && enabled ? t.accent : t.control);
    if (widget && showsFocusRing(*widget)) {
        paintFocusRing(painter, knob.adjusted(-2, -2, 2, 2), side / 2 + 2);
    }
}

void paintScrollBar(QPainter& painter, const QStyleOptionSlider& option, const QRect& handle)
{
    const ThemeTokens& t = tokens();
    if (option.maximum <= option.minimum) {
        return;
    }
    const bool active = option.state.testFlag(QStyle::State_MouseOver) ||
                        option.state.testFlag(QStyle::State_Sunken);
    const double margin = active ? 2 : 3;
    QRectF bar = handle;
    bar = option.orientation == Qt::Vertical ? bar.adjusted(margin, 1, -margin, -1)
                                             : bar.adjusted(1, margin, -1, -margin);
    paintSurface(painter, bar, std::min(bar.width(), bar.height()) / 2,
                 active ? t.control : t.track);
}

void paintStockProgress(QPainter& painter, const QStyleOptionProgressBar& option)
{
    const ThemeTokens& t = tokens();
    const double height = std::min<double>(scaled(8), option.rect.height());
    QRectF bar(option.rect.left(), option.rect.center().y() - height / 2 + 0.5, option.rect.width(),
               height);
    paintSurface(painter, bar, height / 2, t.track);
    const double span = static_cast<double>(option.maximum) - option.minimum;
    if (span <= 0) {
        return;
    }
    const double share =
        std::clamp((static_cast<double>(option.progress) - option.minimum) / span, 0.0, 1.0);
    QRectF done = bar;
    done.setWidth(std::max(share > 0 ? height : 0.0, bar.width() * share));
    if (option.direction == Qt::RightToLeft) {
        done.moveRight(bar.right());
    }
    paintSurface(painter, done, height / 2, t.accent);
}

} // namespace cannery::ui
