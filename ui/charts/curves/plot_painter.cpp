// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/plot_painter.h"

#include "ui/charts/curves/chart_reading.h"
#include "ui/charts/curves/curve_painter.h"
#include "ui/widgets/style/theme.h"

#include <QImage>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

constexpr double kRawOpacity = 0.3;
constexpr double kFadedOpacity = 0.38;
constexpr double kWidth = 1.75;
constexpr double kEmphasisedWidth = 2.5;
/// Pixels between marks of one kind: a curve that is NaN from some step on has thousands.
constexpr double kMarkSpacing = 9;
constexpr double kLeavingSpacing = 22;

QPainterPath starPath(const QPointF& centre, double radius)
{
    QPainterPath path;
    for (int i = 0; i < 10; ++i) {
        const double angle = -M_PI / 2 + i * M_PI / 5;
        const double r = i % 2 == 0 ? radius : radius * 0.45;
        const QPointF point = centre + QPointF(r * std::cos(angle), r * std::sin(angle));
        i == 0 ? path.moveTo(point) : path.lineTo(point);
    }
    path.closeSubpath();
    return path;
}

void drawTriangle(QPainter& painter, const QPointF& tip, double height, double halfWidth)
{
    painter.drawPolygon(
        QPolygonF{tip, tip + QPointF(-halfWidth, height), tip + QPointF(halfWidth, height)});
}

} // namespace

PlotPainter::PlotPainter(const ChartPlot& plot)
    : m_content(plot.content), m_axes(plot.axes), m_plot(plot.axes.plot())
{}

int PlotPainter::paintCurves(QImage& image, double ratio, bool coarse)
{
    // It ends before the curves: an image takes one painter at a time.
    {
        QPainter painter(&image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(ratio, ratio);
        painter.setClipRect(m_plot);
        fillBands(painter);
    }
    // Whole device pixels across: each is a column of the reduced curve.
    const QRectF plot(std::round(m_plot.left() * ratio), m_plot.top() * ratio,
                      std::round(m_plot.width() * ratio), m_plot.height() * ratio);
    const int columns = std::max(1, int(plot.width()) / (coarse ? 2 : 1));
    CurvePainter painter(image, plot, ratio, m_axes.y(), columns);
    return drawAll(painter, columns);
}

int PlotPainter::paintCurves(QPainter& painter)
{
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(m_plot.adjusted(-2, -2, 2, 2));
    fillBands(painter);
    const int columns = std::max(1, int(m_plot.width()));
    CurvePainter curves(painter, m_plot, m_axes.y(), columns);
    const int vertices = drawAll(curves, columns);
    painter.restore();
    return vertices;
}

int PlotPainter::drawAll(CurvePainter& painter, int columns)
{
    m_leaving.clear();
    // Emphasised curves last, so that no other one covers them.
    for (const bool inFront : {false, true}) {
        for (qsizetype i = 0; i < m_content.curves().size(); ++i) {
            const Curve& curve = m_content.curves()[i];
            if (isEmphasised(curve) != inFront) {
                continue;
            }
            if (const CurveData* data = m_content.data(i)) {
                drawSeries(painter, curve, *data, columns);
            } else if (curve.band) {
                drawBandCentre(painter, curve, columns);
            }
        }
    }
    return painter.vertexCount();
}

bool PlotPainter::isEmphasised(const Curve& curve) const
{
    return !m_content.emphasis().isEmpty() && !m_content.isFaded(curve);
}

CurveStyle PlotPainter::styleOf(const Curve& curve) const
{
    CurveStyle style;
    style.colour = seriesColour(curve.colourSlot);
    style.pattern = curve.dashed ? CurveStyle::Pattern::Dashed : CurveStyle::Pattern::Solid;
    style.opacity = m_content.isFaded(curve) ? kFadedOpacity : 1;
    style.width = isEmphasised(curve) ? kEmphasisedWidth : kWidth;
    return style;
}

void PlotPainter::drawSeries(CurvePainter& painter, const Curve& curve, const CurveData& data,
                             int columns)
{
    const XColumn x(data.series(), m_content.options().xAxis);
    const bool isSmoothed = !m_content.options().smoothing.isOff();
    const CurveStyle style = styleOf(curve);
    CurveStyle behind = style;
    behind.opacity *= kRawOpacity;
    behind.width = 1;
    behind.pattern = CurveStyle::Pattern::Solid;

    // The raw values behind their smoothed curve.
    for (const bool smoothed : {false, true}) {
        if (smoothed && !isSmoothed) {
            break;
        }
        const YColumn y =
            smoothed ? data.smoothed(m_content.options().logY) : data.raw(m_content.options().logY);
        const CurveStyle& own = isSmoothed && !smoothed ? behind : style;
        for (const SeriesSegment& segment : data.series().segments()) {
            IndexRange visible =
                data.visible(segment, m_content.options().xAxis, m_axes.x().limits());
            visible.end = std::min(visible.end, qsizetype(y.values.size()));
            // From here on a later session has trained these steps again.
            const qsizetype fresh = std::clamp(segment.overwrittenFrom, visible.begin,
                                               std::max(visible.begin, visible.end));
            ReduceRequest request{.x = &x,
                                  .y = y,
                                  .range = {visible.begin, fresh},
                                  .scale = m_axes.x(),
                                  .columns = columns};
            if (request.range.size() > 0) {
                const ReducedCurve reduced = reduceCurve(request);
                painter.draw(reduced, own);
                noteLeaving(reduced, curve.colourSlot, columns);
            }
            if (fresh < visible.end && m_content.options().showOverwritten) {
                // From the last point before, so that the dotted line begins at the solid one.
                request.range = {std::max(visible.begin, fresh - 1), visible.end};
                CurveStyle dotted = own;
                dotted.pattern = CurveStyle::Pattern::Dotted;
                dotted.opacity *= 0.55;
                painter.draw(reduceCurve(request), dotted);
            }
        }
    }
}

void PlotPainter::noteLeaving(const ReducedCurve& reduced, int slot, int columns)
{
    // Without limits of y, everything is inside.
    if (!m_content.options().ignoreOutliers && !m_content.options().yLimits) {
        return;
    }
    const AxisLimits limits = m_axes.y().limits();
    const double width = m_plot.width() / columns;
    double lastAbove = -100;
    double lastBelow = -100;
    const auto note = [&](double column, double low, double high) {
        const double x = m_plot.left() + column * width;
        if (x < m_plot.left() || x > m_plot.right()) {
            return;
        }
        if (high > limits.max && x >= lastAbove + kLeavingSpacing) {
            m_leaving.push_back({x, true, slot});
            lastAbove = x;
        }
        if (low < limits.min && x >= lastBelow + kLeavingSpacing) {
            m_leaving.push_back({x, false, slot});
            lastBelow = x;
        }
    };
    for (const QPointF& point : reduced.points) {
        note(point.x(), point.y(), point.y());
    }
    for (const ColumnSpan& span : reduced.spans) {
        note(span.column + 0.5, double(span.low), double(span.high));
    }
}

void PlotPainter::drawBandCentre(CurvePainter& painter, const Curve& curve, int columns) const
{
    ReducedCurve centre;
    const BandCurve& band = *curve.band;
    for (size_t i = 0; i < band.steps.size(); ++i) {
        if (m_content.options().logX && band.steps[i] <= 0) {
            continue;
        }
        const double value = double(band.centre[i]);
        centre.points.emplace_back(m_axes.x().toPosition(band.steps[i]) * columns,
                                   m_axes.y().canShow(value) ? value : std::nan(""));
    }
    painter.draw(centre, styleOf(curve));
}

void PlotPainter::fillBands(QPainter& painter) const
{
    // Runs have no time in common of which a mean could be taken.
    if (m_content.options().xAxis != XAxis::Step && m_content.options().xAxis != XAxis::Epoch) {
        return;
    }
    for (const Curve& curve : m_content.curves()) {
        if (curve.band && !curve.series) {
            fillBand(painter, curve);
        }
    }
}

void PlotPainter::fillBand(QPainter& painter, const Curve& curve) const
{
    const BandCurve& band = *curve.band;
    const auto countAt = [&](size_t i) { return i < band.counts.size() ? band.counts[i] : 1; };
    int most = 1;
    for (const int count : band.counts) {
        most = std::max(most, count);
    }
    const auto isShown = [&](size_t i) {
        return std::isfinite(band.low[i]) && std::isfinite(band.high[i]) &&
               m_axes.y().canShow(double(band.high[i])) && m_axes.x().canShow(band.steps[i]);
    };
    const double floor = m_axes.y().limits().min;
    const auto edge = [&](size_t i, float value) {
        // The lower edge of a band may be below zero on a logarithmic axis.
        const double shown = m_axes.y().canShow(double(value)) ? double(value) : floor;
        return QPointF(m_axes.toPixel(band.steps[i]), m_axes.yToPixel(shown));
    };
    painter.setPen(Qt::NoPen);
    // A stretch ends where the number of runs changes: fewer runs, a thinner band.
    for (size_t begin = 0; begin < band.steps.size();) {
        if (!isShown(begin)) {
            ++begin;
            continue;
        }
        size_t end = begin + 1;
        while (end < band.steps.size() && isShown(end) && countAt(end) == countAt(begin)) {
            ++end;
        }
        // Up to the first point of the next stretch: no gap between them.
        const size_t last = end < band.steps.size() && isShown(end) ? end : end - 1;
        QPolygonF polygon;
        for (size_t i = begin; i <= last; ++i) {
            polygon += edge(i, band.high[i]);
        }
        for (size_t i = last + 1; i-- > begin;) {
            polygon += edge(i, band.low[i]);
        }
        QColor colour = seriesColour(curve.colourSlot);
        const double share = double(countAt(begin)) / most;
        colour.setAlphaF(float((m_content.isFaded(curve) ? 0.4 : 1) * (0.06 + 0.14 * share)));
        painter.setBrush(colour);
        painter.drawPolygon(polygon);
        begin = end;
    }
}

void PlotPainter::paintMarks(QPainter& painter) const
{
    painter.setRenderHint(QPainter::Antialiasing);
    paintNonFinite(painter);
    paintLeaving(painter);
    paintEnds(painter);
    for (const ChartMark& mark : m_content.marks()) {
        paintMark(painter, mark);
    }
}

void PlotPainter::paintNonFinite(QPainter& painter) const
{
    const double r = 3.5;
    for (qsizetype i = 0; i < m_content.curves().size(); ++i) {
        const CurveData* data = m_content.data(i);
        if (!data || data->nonFinite().empty()) {
            continue;
        }
        const XColumn x(data->series(), m_content.options().xAxis);
        const QColor colour = seriesColour(m_content.curves()[i].colourSlot);
        std::array<double, 3> last{-100, -100, -100};
        for (const qsizetype index : data->nonFinite()) {
            const double at = x[index];
            const double pixel = m_axes.x().canShow(at) ? m_axes.toPixel(at) : -1;
            const float value = data->series().values()[size_t(index)];
            // NaN below the curves, an infinity at the edge that it has left through.
            const size_t kind = std::isnan(value) ? 0 : value > 0 ? 1 : 2;
            if (pixel < m_plot.left() || pixel > m_plot.right() ||
                pixel < last[kind] + kMarkSpacing) {
                continue;
            }
            last[kind] = pixel;
            painter.setPen(QPen(colour, 1.75, Qt::SolidLine, Qt::RoundCap));
            painter.setBrush(colour);
            if (kind == 0) {
                const QPointF c(pixel, m_plot.bottom() - r - 1);
                painter.drawLine(c + QPointF(-r, -r), c + QPointF(r, r));
                painter.drawLine(c + QPointF(-r, r), c + QPointF(r, -r));
                continue;
            }
            const double edge = kind == 1 ? m_plot.top() : m_plot.bottom();
            const double inward = kind == 1 ? 1 : -1;
            painter.drawLine(QPointF(pixel - r, edge + inward), QPointF(pixel + r, edge + inward));
            drawTriangle(painter, {pixel, edge + 3 * inward}, inward * 1.6 * r, r);
        }
    }
}

void PlotPainter::paintLeaving(QPainter& painter) const
{
    for (const Leaving& leaving : m_leaving) {
        const QColor colour = seriesColour(leaving.colourSlot);
        painter.setPen(QPen(colour, 1.25));
        painter.setBrush(tokens().surface);
        const double edge = leaving.above ? m_plot.top() + 1 : m_plot.bottom() - 1;
        drawTriangle(painter, {leaving.x, edge}, leaving.above ? 6 : -6, 4);
    }
}

void PlotPainter::paintEnds(QPainter& painter) const
{
    for (qsizetype i = 0; i < m_content.curves().size(); ++i) {
        const CurveData* data = m_content.data(i);
        if (!data || !m_content.isLive(m_content.curves()[i]) ||
            data->series().segments().empty()) {
            continue;
        }
        const YColumn y = m_content.options().smoothing.isOff()
                              ? data->raw(m_content.options().logY)
                              : data->smoothed(m_content.options().logY);
        const SeriesSegment& segment = data->series().segments().back();
        qsizetype last = std::min(segment.end, qsizetype(y.values.size()));
        // The dot is at the last point that can be drawn.
        while (last > segment.begin && !std::isfinite(y.values[size_t(last - 1)])) {
            --last;
        }
        if (last == segment.begin) {
            continue;
        }
        const QPointF end(
            m_axes.toPixel(XColumn(data->series(), m_content.options().xAxis)[last - 1]),
            m_axes.yToPixel(double(y.values[size_t(last - 1)])));
        if (!m_plot.adjusted(-2, -2, 2, 2).contains(end)) {
            continue;
        }
        QColor colour = seriesColour(m_content.curves()[i].colourSlot);
        const double faded = m_content.isFaded(m_content.curves()[i]) ? kFadedOpacity : 1;
        painter.setPen(Qt::NoPen);
        colour.setAlphaF(float(0.25 * faded));
        painter.setBrush(colour);
        painter.drawEllipse(end, 7, 7);
        colour.setAlphaF(float(faded));
        painter.setBrush(colour);
        painter.drawEllipse(end, 3.5, 3.5);
    }
}

void PlotPainter::paintMark(QPainter& painter, const ChartMark& mark) const
{
    const std::optional<double> x = xOfStep(m_content, mark.step);
    if (!x || !m_axes.x().canShow(*x)) {
        return;
    }
    const double pixel = m_axes.toPixel(*x);
    if (pixel < m_plot.left() - 1 || pixel > m_plot.right() + 1) {
        return;
    }
    if (mark.kind == ChartMark::Kind::Checkpoint) {
        const QPointF centre(pixel, m_plot.bottom());
        painter.setPen(QPen(tokens().text2, 1.25));
        painter.setBrush(tokens().surface);
        painter.drawPolygon(QPolygonF{centre + QPointF(0, -5), centre + QPointF(5, 0),
                                      centre + QPointF(0, 5), centre + QPointF(-5, 0)});
        return;
    }
    if (!m_axes.y().canShow(mark.value)) {
        return;
    }
    const QPointF point(pixel, m_axes.yToPixel(mark.value));
    if (!m_plot.adjusted(0, -2, 0, 2).contains(point)) {
        return;
    }
    const bool hasRoomAbove = point.y() - 26 > m_plot.top() - scaled(8);
    const QPointF star = point + QPointF(0, hasRoomAbove ? -16 : 16);
    painter.setPen(Qt::NoPen);
    painter.setBrush(tokens().ok);
    painter.drawEllipse(point, 3.5, 3.5);
    painter.setBrush(tokens().okBg);
    painter.drawEllipse(star, 9, 9);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(tokens().ok, 1.25, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPath(starPath(star, 5.5));
}

} // namespace cannery::ui
