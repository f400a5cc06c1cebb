// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_zoom.h"

#include "ui/charts/curves/chart_limits.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/repaint_clock.h"

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr qint64 kZoomJoin = 400; ///< milliseconds: wheel turns in a row are one zoom
constexpr size_t kMostZooms = 100;

bool isSane(const AxisLimits& limits)
{
    const double largest = std::max(std::fabs(limits.min), std::fabs(limits.max));
    return std::isfinite(limits.min) && std::isfinite(limits.max) &&
           limits.max - limits.min > largest * 1e-12 && limits.max - limits.min > 1e-300;
}

} // namespace

ChartZoom::ChartZoom(ChartPlot& plot, const RepaintClock& clock) : m_plot(plot), m_clock(clock) {}

void ChartZoom::setOptions(const ChartOptions& options)
{
    if (options == m_options) {
        return;
    }
    // Limits in steps mean nothing in seconds.
    if (options.xAxis != m_options.xAxis) {
        m_history.clear();
    }
    apply(options);
}

void ChartZoom::change(const ChartOptions& options)
{
    if (options != m_options) {
        apply(options);
        Q_EMIT changedByPerson();
    }
}

void ChartZoom::apply(const ChartOptions& options)
{
    m_options = options;
    m_plot.content.setOptions(options);
    Q_EMIT changed();
}

void ChartZoom::setXAxis(XAxis axis)
{
    ChartOptions changed = m_options;
    changed.xAxis = axis;
    changed.xLimits.reset();
    if (axis == XAxis::WallClock) {
        changed.logX = false;
    }
    m_history.clear();
    change(changed);
}

void ChartZoom::setLink(ChartLink* link)
{
    if (m_link) {
        disconnect(m_link, nullptr, this, nullptr);
    }
    m_link = link;
    if (!link) {
        return;
    }
    connect(link, &ChartLink::xLimitsChanged, this, &ChartZoom::followLink);
    if (link->xLimits()) {
        followLink();
    }
}

void ChartZoom::followLink()
{
    if (!m_link || m_link->axis() != m_options.xAxis || m_link->xLimits() == m_options.xLimits) {
        return;
    }
    // apply() and not change(): only the card that was zoomed reports it.
    ChartOptions followed = m_options;
    followed.xLimits = m_link->xLimits();
    apply(followed);
}

void ChartZoom::shareX()
{
    if (m_link && m_link->axis() == m_options.xAxis) {
        m_link->setXLimits(m_options.xLimits);
    }
}

void ChartZoom::push(Step step)
{
    const qint64 now = m_clock.now();
    const bool joins =
        !m_history.empty() &&
        (step == Step::JoinsLast || (step == Step::JoinsRecent && now - m_lastPush < kZoomJoin));
    m_lastPush = now;
    if (joins) {
        return;
    }
    // What was before the first of the joined changes stays the one to go back to.
    m_history.push_back({m_options.xLimits, m_options.yLimits});
    if (m_history.size() > kMostZooms) {
        m_history.erase(m_history.begin());
    }
}

bool ChartZoom::setX(std::optional<AxisLimits> limits, Step step)
{
    if (limits == m_options.xLimits || (limits && !isSane(*limits))) {
        return false;
    }
    push(step);
    ChartOptions changed = m_options;
    changed.xLimits = limits;
    change(changed);
    shareX();
    return true;
}

bool ChartZoom::setY(std::optional<AxisLimits> limits, Step step)
{
    if (limits == m_options.yLimits || (limits && !isSane(*limits))) {
        return false;
    }
    push(step);
    ChartOptions changed = m_options;
    changed.yLimits = limits;
    change(changed);
    return true;
}

void ChartZoom::zoomX(double factor, double aroundPixel)
{
    // Based on the requested range, not the painted one: several turns may come between frames.
    const AxisScale scale =
        m_options.xLimits ? AxisScale(*m_options.xLimits, m_options.logX) : m_plot.axes.x();
    const QRectF area = m_plot.axes.plot();
    const double at = std::clamp((aroundPixel - area.left()) / area.width(), 0.0, 1.0);
    const AxisLimits limits = scale.limitsOf(at - at / factor, at + (1 - at) / factor);
    const AxisLimits all = limitsOfAll(m_plot.content);
    // Out as far as all points: the card follows new ones again.
    if (factor < 1 && limits.min <= all.min && limits.max >= all.max) {
        setX(std::nullopt, Step::JoinsRecent);
        return;
    }
    setX(limits, Step::JoinsRecent);
}

void ChartZoom::zoomY(double factor, double aroundPixel)
{
    const AxisScale scale =
        m_options.yLimits ? AxisScale(*m_options.yLimits, m_options.logY) : m_plot.axes.y();
    const QRectF area = m_plot.axes.plot();
    const double at = std::clamp((area.bottom() - aroundPixel) / area.height(), 0.0, 1.0);
    setY(scale.limitsOf(at - at / factor, at + (1 - at) / factor), Step::JoinsRecent);
}

bool ChartZoom::pan(const QPointF& by, Step step)
{
    const AxisScale x =
        m_options.xLimits ? AxisScale(*m_options.xLimits, m_options.logX) : m_plot.axes.x();
    const double across = by.x() / m_plot.axes.plot().width();
    // A drag in both directions is one entry of the history.
    bool hasMoved = across != 0 && setX(x.limitsOf(-across, 1 - across), step);
    const double up = by.y() / m_plot.axes.plot().height();
    if (m_options.yLimits && up != 0) {
        const AxisScale y(*m_options.yLimits, m_options.logY);
        hasMoved = setY(y.limitsOf(up, 1 + up), hasMoved ? Step::JoinsLast : step) || hasMoved;
    }
    return hasMoved;
}

void ChartZoom::undo()
{
    if (m_history.empty()) {
        return;
    }
    const Range last = m_history.back();
    m_history.pop_back();
    ChartOptions changed = m_options;
    changed.xLimits = last.x;
    changed.yLimits = last.y;
    change(changed);
    shareX();
}

void ChartZoom::reset()
{
    if (!m_options.xLimits && !m_options.yLimits) {
        return;
    }
    push(Step::Own);
    ChartOptions changed = m_options;
    changed.xLimits.reset();
    changed.yLimits.reset();
    change(changed);
    shareX();
}

} // namespace cannery::ui
