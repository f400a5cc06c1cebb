// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/sparkline.h"

#include "ui/widgets/style/theme.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::ui {

void paintSparkline(QPainter& painter, const QRectF& where, const QList<double>& values,
                    const QColor& colour)
{
    double least = std::numeric_limits<double>::infinity();
    double most = -least;
    for (const double value : values) {
        if (std::isfinite(value)) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
    }
    if (values.size() < 2 || !(least <= most)) {
        return;
    }
    const double span = most > least ? most - least : 1;
    QPainterPath path;
    bool down = false;
    for (int i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            // A value that is not a number leaves a gap.
            down = false;
            continue;
        }
        const double x = where.left() + where.width() * i / (values.size() - 1.0);
        // A curve without a span lies in the middle.
        const double share = most > least ? (values[i] - least) / span : 0.5;
        const QPointF point(x, where.bottom() - where.height() * share);
        if (down) {
            path.lineTo(point);
        } else {
            path.moveTo(point);
        }
        down = true;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(path);
    painter.restore();
}

Sparkline::Sparkline(QWidget* parent) : QWidget(parent) {}

void Sparkline::setValues(const QList<double>& values)
{
    m_values = values;
    update();
}

void Sparkline::setColourSlot(int slot)
{
    m_slot = slot;
    update();
}

QSize Sparkline::sizeHint() const
{
    return {scaled(68), scaled(30)};
}

void Sparkline::paintEvent(QPaintEvent* /*event*/)
{
    constexpr double kInset = 2;
    QPainter painter(this);
    paintSparkline(painter, QRectF(rect()).adjusted(kInset, kInset, -kInset, -kInset), m_values,
                   m_slot < 0 ? tokens().accent : seriesColour(m_slot));
}

} // namespace cannery::ui
