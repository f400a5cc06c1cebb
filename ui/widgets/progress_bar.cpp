// SPDX-License-Identifier: GPL-3.0-only
#include "ui/widgets/progress_bar.h"

#include "ui/widgets/style/painting.h"
#include "ui/widgets/style/theme.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr int kBar = 8;
constexpr double kDiamond = 5.5;
constexpr int kParts = 1000;

void paintDiamond(QPainter& painter, const QPointF& centre, double radius)
{
    const ThemeTokens& t = tokens();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.accent, 1.5));
    painter.setBrush(t.surface);
    const QPointF points[] = {centre + QPointF(0, -radius), centre + QPointF(radius, 0),
                              centre + QPointF(0, radius), centre + QPointF(-radius, 0)};
    painter.drawPolygon(points, 4);
}

} // namespace

ProgressBar::ProgressBar(QWidget* parent) : QProgressBar(parent)
{
    setRange(0, kParts);
    setTextVisible(false);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&themeWatch(), &ThemeWatch::changed, this, [this] { updateGeometry(); });
}

void ProgressBar::setFraction(double fraction)
{
    m_fraction = std::isfinite(fraction) ? std::min(fraction, 1.0) : -1;
    setValue(m_fraction < 0 ? 0 : static_cast<int>(std::lround(m_fraction * kParts)));
    update();
}

void ProgressBar::setMarks(const QList<double>& fractions)
{
    if (fractions != m_marks) {
        m_marks = fractions;
        update();
    }
}

QSize ProgressBar::sizeHint() const
{
    return {scaled(120), scaled(2 * kDiamond + 2)};
}

QSize ProgressBar::minimumSizeHint() const
{
    return {scaled(40), sizeHint().height()};
}

void ProgressBar::paintEvent(QPaintEvent* /*event*/)
{
    const ThemeTokens& t = tokens();
    QPainter painter(this);
    const double thick = scaled(kBar);
    const QRectF bar(0, (height() - thick) / 2.0, width(), thick);
    paintSurface(painter, bar, thick / 2, t.track);
    const bool mirrored = isRightToLeft();
    if (m_fraction > 0) {
        QRectF done = bar;
        done.setWidth(std::max(thick, bar.width() * m_fraction));
        if (mirrored) {
            done.moveRight(bar.right());
        }
        paintSurface(painter, done, thick / 2, t.accent);
    }
    const double radius = scaled(kDiamond);
    for (const double mark : m_marks) {
        if (mark < 0 || mark > 1) {
            continue;
        }
        const double along = radius + (bar.width() - 2 * radius) * mark;
        paintDiamond(painter, {mirrored ? bar.right() - along : bar.left() + along, height() / 2.0},
                     radius);
    }
}

} // namespace cannery::ui
