// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_cursor.h"

#include "ui/charts/curves/chart_link.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_reading.h"

#include <algorithm>

namespace cannery::ui {

ChartCursor::ChartCursor(const ChartPlot& plot) : m_plot(plot) {}

void ChartCursor::setX(std::optional<double> x)
{
    move(x, false);
}

QList<ReadoutRow> ChartCursor::rows() const
{
    return m_x ? readoutRows(m_plot, *m_x) : QList<ReadoutRow>();
}

void ChartCursor::setReadoutShown(bool shown)
{
    m_showsReadout = shown;
    Q_EMIT changed();
}

void ChartCursor::setLink(ChartLink* link)
{
    if (m_link) {
        disconnect(m_link, nullptr, this, nullptr);
    }
    m_link = link;
    if (link) {
        connect(link, &ChartLink::cursorChanged, this, &ChartCursor::followLink);
        followLink();
    }
}

void ChartCursor::followLink()
{
    if (!m_link || m_link->axis() != m_plot.content.options().xAxis || m_link->cursor() == m_x) {
        return;
    }
    // Not through move(), which would send it back to the link. A cursor of another card shows no
    // readout here and cannot be held.
    m_x = m_link->cursor();
    m_isOwn = false;
    m_stays = false;
    Q_EMIT changed();
}

ChartPointer ChartCursor::pointer() const
{
    ChartPointer pointer;
    if (m_x) {
        const XAxis axis = m_plot.content.options().xAxis;
        const QString value = formatAxisValue(*m_x, tickFormatOf(axis));
        pointer.x = m_x;
        pointer.chip = value;
        pointer.heading = axis == XAxis::Step    ? tr("Step %1").arg(value)
                          : axis == XAxis::Epoch ? tr("Epoch %1").arg(value)
                                                 : value;
        pointer.rows = rows();
        // One readout at a time: the card under the pointer has it.
        pointer.showsReadout = m_isOwn && m_showsReadout;
    }
    return pointer;
}

void ChartCursor::curvesChanged()
{
    // By its place: the keys go on from where they were among the curves that are left.
    m_curve = std::clamp(m_curve, 0, std::max(0, int(m_plot.content.curves().size()) - 1));
}

void ChartCursor::forget()
{
    m_x.reset();
    Q_EMIT changed();
}

void ChartCursor::move(std::optional<double> x, bool byKeys)
{
    // Before the comparison: the same place by keys is held when the pointer leaves.
    m_isByKeys = byKeys && x;
    if (x == m_x && m_isOwn == x.has_value()) {
        return;
    }
    m_x = x;
    m_isOwn = x.has_value();
    if (m_link && m_link->axis() == m_plot.content.options().xAxis) {
        m_link->setCursor(x);
    }
    Q_EMIT changed();
    Q_EMIT moved(byKeys);
}

void ChartCursor::walk(int by)
{
    if (m_plot.content.curves().isEmpty()) {
        return;
    }
    if (!m_x) {
        const AxisLimits shown = m_plot.axes.x().limits();
        // The first key enters from the side that it comes from.
        move(snappedX(m_plot.content, by > 0 ? shown.min : shown.max), true);
        return;
    }
    if (const auto next = neighbourX(m_plot.content, m_curve, *m_x, by)) {
        move(next, true);
    }
}

void ChartCursor::chooseCurve(int by)
{
    const int count = int(m_plot.content.curves().size());
    if (count == 0) {
        return;
    }
    m_curve = std::clamp(m_curve + by, 0, count - 1);
    m_hoveredRun = m_plot.content.curves()[m_curve].run;
    Q_EMIT runChosen(m_hoveredRun);
    if (m_x) {
        // The new curve may have no point at this x.
        const auto nearest = neighbourX(m_plot.content, m_curve, *m_x, 0);
        move(nearest ? nearest : m_x, true);
    }
}

void ChartCursor::hover(const QPointF& pixel)
{
    if (m_plot.content.isEmpty()) {
        return;
    }
    // A little beyond the axes, so that the first and last points can be reached.
    const bool isInside = m_plot.axes.plot().adjusted(-4, -4, 4, 4).contains(pixel);
    const int curve = isInside ? curveAt(m_plot, pixel) : -1;
    const QString run = curve >= 0 ? m_plot.content.curves()[curve].run : QString();
    if (run != m_hoveredRun) {
        m_hoveredRun = run;
        if (curve >= 0) {
            m_curve = curve;
        }
        Q_EMIT runHovered(run);
    }
    if (m_stays) {
        return;
    }
    if (isInside) {
        move(snappedX(m_plot.content, m_plot.axes.toX(pixel.x())), false);
    } else if (!m_isByKeys) {
        move(std::nullopt, false);
    }
}

void ChartCursor::leave()
{
    if (!m_hoveredRun.isEmpty()) {
        m_hoveredRun.clear();
        Q_EMIT runHovered({});
    }
    // One that another card moves is that card's to remove.
    if (!m_stays && !m_isByKeys && m_isOwn) {
        move(std::nullopt, false);
    }
}

void ChartCursor::click(const QPointF& pixel)
{
    // One click holds the cursor, the next one lets it follow the pointer again.
    m_stays = !m_stays && m_x.has_value();
    if (!m_stays) {
        hover(pixel);
    }
}

void ChartCursor::pin()
{
    m_stays = m_x.has_value();
    if (m_x) {
        Q_EMIT pinRequested();
    }
}

bool ChartCursor::dismiss()
{
    if (!m_x) {
        return false;
    }
    m_stays = false;
    move(std::nullopt, true);
    return true;
}

void ChartCursor::releaseRun()
{
    m_hoveredRun.clear();
    Q_EMIT runChosen({});
}

} // namespace cannery::ui
