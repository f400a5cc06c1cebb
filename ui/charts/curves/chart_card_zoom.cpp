// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"

#include <QAccessible>

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

void ChartCard::Private::apply(const ChartOptions& changed)
{
    if (changed == options) {
        return;
    }
    options = changed;
    plot.setOptions(options);
    request(RepaintClock::Cause::Person);
    Q_EMIT card.optionsChanged();
}

void ChartCard::setOptions(const ChartOptions& options)
{
    if (options == m_private->options) {
        return;
    }
    if (options.xAxis != m_private->options.xAxis) {
        m_private->zooms.clear();
    }
    m_private->options = options;
    m_private->plot.setOptions(options);
    m_private->request(RepaintClock::Cause::Person);
}

const ChartOptions& ChartCard::options() const
{
    return m_private->options;
}

void ChartCard::setLink(ChartLink* link)
{
    if (m_private->link) {
        disconnect(m_private->link, nullptr, this, nullptr);
    }
    m_private->link = link;
    if (!link) {
        return;
    }
    connect(link, &ChartLink::xLimitsChanged, this, [this] { m_private->followLink(); });
    connect(link, &ChartLink::cursorChanged, this, [this] { m_private->followLinkCursor(); });
    if (link->xLimits()) {
        m_private->followLink();
    }
    m_private->followLinkCursor();
}

void ChartCard::Private::followLink()
{
    if (!link || link->axis() != options.xAxis || link->xLimits() == options.xLimits) {
        return;
    }
    options.xLimits = link->xLimits();
    plot.setOptions(options);
    request(RepaintClock::Cause::Person);
}

void ChartCard::Private::followLinkCursor()
{
    if (!link || link->axis() != options.xAxis || link->cursor() == cursor) {
        return;
    }
    cursor = link->cursor();
    cursorIsOwn = false;
    cursorStays = false;
    updatePointer();
}

void ChartCard::Private::pushZoom(bool joinsLast)
{
    const qint64 now = clock.now();
    const bool joins = joinsLast && !zooms.empty() && now - lastZoom < kZoomJoin;
    lastZoom = now;
    if (joins) {
        return;
    }
    zooms.push_back({options.xLimits, options.yLimits});
    if (zooms.size() > kMostZooms) {
        zooms.erase(zooms.begin());
    }
}

void ChartCard::Private::setXLimits(std::optional<AxisLimits> limits, bool joinsLast)
{
    if (limits == options.xLimits || (limits && !isSane(*limits))) {
        return;
    }
    pushZoom(joinsLast);
    ChartOptions changed = options;
    changed.xLimits = limits;
    apply(changed);
    if (link && link->axis() == options.xAxis) {
        link->setXLimits(limits);
    }
}

void ChartCard::Private::setYLimits(std::optional<AxisLimits> limits, bool joinsLast)
{
    if (limits == options.yLimits || (limits && !isSane(*limits))) {
        return;
    }
    pushZoom(joinsLast);
    ChartOptions changed = options;
    changed.yLimits = limits;
    apply(changed);
}

void ChartCard::Private::zoomX(double factor, double aroundPixel, bool joinsLast)
{
    // Based on the requested range, not the painted one: several turns may come between frames.
    const AxisScale scale = options.xLimits ? AxisScale(*options.xLimits, options.logX) : plot.x();
    const double at =
        std::clamp((aroundPixel - plot.plot().left()) / plot.plot().width(), 0.0, 1.0);
    const AxisLimits limits = scale.limitsOf(at - at / factor, at + (1 - at) / factor);
    const AxisLimits all = plot.dataX();
    if (factor < 1 && limits.min <= all.min && limits.max >= all.max) {
        setXLimits(std::nullopt, joinsLast);
        return;
    }
    setXLimits(limits, joinsLast);
}

void ChartCard::Private::zoomY(double factor, double aroundPixel, bool joinsLast)
{
    const AxisScale scale = options.yLimits ? AxisScale(*options.yLimits, options.logY) : plot.y();
    const double at =
        std::clamp((plot.plot().bottom() - aroundPixel) / plot.plot().height(), 0.0, 1.0);
    setYLimits(scale.limitsOf(at - at / factor, at + (1 - at) / factor), joinsLast);
}

void ChartCard::Private::pan(const QPointF& by)
{
    const AxisScale x = options.xLimits ? AxisScale(*options.xLimits, options.logX) : plot.x();
    const double across = by.x() / plot.plot().width();
    if (across != 0) {
        setXLimits(x.limitsOf(-across, 1 - across), true);
    }
    const double up = by.y() / plot.plot().height();
    if (options.yLimits && up != 0) {
        const AxisScale y(*options.yLimits, options.logY);
        setYLimits(y.limitsOf(up, 1 + up), true);
    }
}

void ChartCard::Private::undoZoom()
{
    if (zooms.empty()) {
        return;
    }
    const Zoom last = zooms.back();
    zooms.pop_back();
    ChartOptions changed = options;
    changed.xLimits = last.x;
    changed.yLimits = last.y;
    apply(changed);
    if (link && link->axis() == options.xAxis) {
        link->setXLimits(last.x);
    }
}

void ChartCard::Private::resetZoom()
{
    if (!options.xLimits && !options.yLimits) {
        return;
    }
    pushZoom(false);
    ChartOptions changed = options;
    changed.xLimits.reset();
    changed.yLimits.reset();
    apply(changed);
    if (link && link->axis() == options.xAxis) {
        link->setXLimits(std::nullopt);
    }
}

std::optional<double> ChartCard::cursor() const
{
    return m_private->cursor;
}

void ChartCard::setCursor(std::optional<double> x)
{
    m_private->moveCursor(x, false);
}

void ChartCard::Private::moveCursor(std::optional<double> x, bool byKeys)
{
    cursorByKeys = byKeys && x;
    if (x == cursor && cursorIsOwn == x.has_value()) {
        return;
    }
    cursor = x;
    cursorIsOwn = x.has_value();
    if (link && link->axis() == options.xAxis) {
        link->setCursor(x);
    }
    updatePointer();
    Q_EMIT card.cursorMoved();
    if (byKeys && QAccessible::isActive()) {
        QAccessibleValueChangeEvent event(&card, card.summary());
        QAccessible::updateAccessibility(&event);
    }
}

void ChartCard::Private::updatePointer()
{
    ChartPointer pointer;
    if (cursor) {
        const QString value = formatAxisValue(*cursor, tickFormatOf(options.xAxis));
        pointer.x = cursor;
        pointer.chip = value;
        pointer.heading = options.xAxis == XAxis::Step    ? ChartCard::tr("Step %1").arg(value)
                          : options.xAxis == XAxis::Epoch ? ChartCard::tr("Epoch %1").arg(value)
                                                          : value;
        pointer.rows = plot.rows(*cursor);
        pointer.showsReadout = cursorIsOwn && showsHoverReadout;
    }
    if (drag == Drag::Select || drag == Drag::SelectBox) {
        const QRectF area = plot.plot();
        QRectF selection = QRectF(pressedAt, draggedTo).normalized();
        if (drag == Drag::Select) {
            selection.setTop(area.top());
            selection.setBottom(area.bottom());
        }
        pointer.selection = selection.intersected(area);
        pointer.x.reset();
    }
    canvas->setPointer(pointer);
}

} // namespace cannery::ui
