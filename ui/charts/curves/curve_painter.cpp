// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/curve_painter.h"

#include <QPainter>
#include <QPen>

#include <algorithm>
#include <cmath>

namespace cannery::ui {
namespace {

/// Half the thickness of a dense line, in logical pixels.
constexpr double kDenseHalfWidth = 0.65;

/// Blends `colour` over the pixel, with 0 to 255 of its opacity.
QRgb over(QRgb pixel, QRgb premultiplied, uint share)
{
    const auto scaled = [share](uint channel) { return (channel * share + 127) / 255; };
    const uint alpha = scaled(qAlpha(premultiplied));
    const uint keep = 255 - alpha;
    const auto blended = [keep](uint source, uint below) {
        return source + (below * keep + 127) / 255;
    };
    return qRgba(int(blended(scaled(qRed(premultiplied)), qRed(pixel))),
                 int(blended(scaled(qGreen(premultiplied)), qGreen(pixel))),
                 int(blended(scaled(qBlue(premultiplied)), qBlue(pixel))),
                 int(blended(alpha, qAlpha(pixel))));
}

QPen penOf(const CurveStyle& style, double width)
{
    QColor colour = style.colour;
    colour.setAlphaF(float(style.opacity));
    QPen pen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::RoundJoin);
    return pen;
}

} // namespace

CurvePainter::CurvePainter(QImage& image, const QRectF& plot, double ratio, const AxisScale& y,
                           int columns)
    : m_image(&image), m_plot(plot), m_ratio(ratio), m_y(y), m_columns(columns)
{}

CurvePainter::CurvePainter(QPainter& painter, const QRectF& plot, const AxisScale& y, int columns)
    : m_painter(&painter), m_plot(plot), m_y(y), m_columns(columns)
{}

void CurvePainter::draw(const ReducedCurve& curve, const CurveStyle& style)
{
    if (curve.isDense) {
        drawDense(curve, style);
    } else if (m_painter) {
        drawSparse(*m_painter, curve, style);
    } else {
        QPainter painter(m_image);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setClipRect(m_plot.adjusted(-2 * m_ratio, -2 * m_ratio, 2 * m_ratio, 2 * m_ratio));
        drawSparse(painter, curve, style);
    }
}

double CurvePainter::yOf(double value) const
{
    // Clamped to just outside, which fits the rasteriser's numbers.
    const double position = std::clamp(m_y.toPosition(value), -2.0, 3.0);
    return m_plot.bottom() - position * m_plot.height();
}

bool CurvePainter::isDrawn(int column, CurveStyle::Pattern pattern) const
{
    const double x = column * m_plot.width() / m_columns / m_ratio;
    switch (pattern) {
    case CurveStyle::Pattern::Solid:
        return true;
    case CurveStyle::Pattern::Dashed:
        return std::fmod(x + 1300, 13) < 8;
    case CurveStyle::Pattern::Dotted:
        return std::fmod(x + 1200, 6) < 2;
    }
    return true;
}

std::pair<double, double> CurvePainter::joint(const ColumnSpan& before, const Strip& left,
                                              const ColumnSpan& after, const Strip& right) const
{
    if (std::isfinite(before.last) && std::isfinite(after.first)) {
        return {yOf(double(before.last)), yOf(double(after.first))};
    }
    // From the nearest edge to the nearest edge; if they overlap, nothing is missing.
    if (right.bottom < left.top) {
        return {left.top, right.bottom};
    }
    if (right.top > left.bottom) {
        return {left.bottom, right.top};
    }
    const double common = std::max(left.top, right.top);
    return {common, common};
}

std::vector<CurvePainter::Strip> CurvePainter::strips(const std::vector<ColumnSpan>& spans) const
{
    std::vector<Strip> strips;
    strips.reserve(spans.size());
    const ColumnSpan* before = nullptr;
    for (const ColumnSpan& span : spans) {
        Strip strip{span.column, yOf(double(span.high)), yOf(double(span.low))};
        if (before && !span.afterGap) {
            // Neighbours meet half-way; columns between them get the line that joins them.
            const std::pair<double, double> ends = joint(*before, strips.back(), span, strip);
            const int distance = span.column - before->column;
            const auto along = [&](double share) {
                return ends.first + (ends.second - ends.first) * share;
            };
            Strip& last = strips.back();
            const double leaving = along(0.5 / distance);
            last.top = std::min(last.top, leaving);
            last.bottom = std::max(last.bottom, leaving);
            for (int i = 1; i < distance; ++i) {
                const double a = along((i - 0.5) / distance);
                const double b = along((i + 0.5) / distance);
                strips.push_back({before->column + i, std::min(a, b), std::max(a, b)});
            }
            const double arriving = along(1 - 0.5 / distance);
            strip.top = std::min(strip.top, arriving);
            strip.bottom = std::max(strip.bottom, arriving);
        }
        strips.push_back(strip);
        before = &span;
    }
    std::erase_if(strips, [this](const Strip& strip) {
        return strip.column < 0 || strip.column >= m_columns;
    });
    return strips;
}

void CurvePainter::drawDense(const ReducedCurve& curve, const CurveStyle& style)
{
    std::vector<Strip> all = strips(curve.spans);
    std::erase_if(all, [&](const Strip& strip) { return !isDrawn(strip.column, style.pattern); });
    m_vertexCount += 2 * int(all.size());
    if (m_image) {
        fillStrips(all, style);
        return;
    }
    QList<QLineF> lines;
    lines.reserve(qsizetype(all.size()));
    const double width = m_plot.width() / m_columns;
    for (const Strip& strip : all) {
        const double x = m_plot.left() + (strip.column + 0.5) * width;
        lines.emplaceBack(x, strip.top - kDenseHalfWidth, x, strip.bottom + kDenseHalfWidth);
    }
    m_painter->setPen(penOf(style, width));
    m_painter->drawLines(lines);
}

void CurvePainter::fillStrips(const std::vector<Strip>& strips, const CurveStyle& style)
{
    QColor colour = style.colour;
    colour.setAlphaF(float(style.opacity));
    const QRgb premultiplied = qPremultiply(colour.rgba());
    const bool isOpaque = qAlpha(premultiplied) == 255;
    const double half = std::max(kDenseHalfWidth, style.width > 2 ? style.width / 2 : 0) * m_ratio;
    const double width = m_plot.width() / m_columns;
    const double lowest = std::min(m_plot.bottom() + m_ratio, double(m_image->height()));
    const double highest = std::max(m_plot.top() - m_ratio, 0.0);
    const qsizetype stride = m_image->bytesPerLine() / qsizetype(sizeof(QRgb));
    auto* pixels = reinterpret_cast<QRgb*>(m_image->bits());
    for (const Strip& strip : strips) {
        const double top = std::max(strip.top - half, highest);
        const double bottom = std::min(strip.bottom + half, lowest);
        if (bottom <= top) {
            continue;
        }
        const int left = int(std::lround(m_plot.left() + strip.column * width));
        const int right = std::min(int(std::lround(m_plot.left() + (strip.column + 1) * width)),
                                   m_image->width());
        for (int x = left; x < right; ++x) {
            const int firstRow = int(top);
            const int lastRow = int(std::ceil(bottom)) - 1;
            QRgb* pixel = pixels + qsizetype(firstRow) * stride + x;
            for (int row = firstRow; row <= lastRow; ++row, pixel += stride) {
                const double covered = std::min(bottom, row + 1.0) - std::max(top, double(row));
                const uint share = uint(covered * 255 + 0.5);
                *pixel =
                    isOpaque && share >= 255 ? premultiplied : over(*pixel, premultiplied, share);
            }
        }
    }
}

void CurvePainter::drawSparse(QPainter& painter, const ReducedCurve& curve, const CurveStyle& style)
{
    const double width = m_plot.width() / m_columns;
    QList<QPointF> stretch;
    const auto finish = [&] {
        if (!stretch.isEmpty()) {
            drawStretch(painter, stretch, style);
            stretch.clear();
        }
    };
    for (const QPointF& point : curve.points) {
        if (!std::isfinite(point.y())) {
            finish();
            continue;
        }
        stretch.emplaceBack(m_plot.left() + point.x() * width, yOf(point.y()));
    }
    finish();
}

void CurvePainter::drawStretch(QPainter& painter, const QList<QPointF>& points,
                               const CurveStyle& style)
{
    if (points.size() == 1) {
        QColor colour = style.colour;
        colour.setAlphaF(float(style.opacity));
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        const double radius = std::max(2.0, style.width + 0.5) * m_ratio;
        painter.drawEllipse(points.front(), radius, radius);
        m_vertexCount += 1;
        return;
    }
    const double pixelsPerPoint =
        std::max(points.back().x() - points.front().x(), 1.0) / double(points.size());
    if (pixelsPerPoint >= 2 * m_ratio && points.size() <= 400) {
        QPen pen = penOf(style, style.width * m_ratio);
        if (style.pattern == CurveStyle::Pattern::Dashed) {
            pen.setDashPattern({8 / style.width, 5 / style.width});
        } else if (style.pattern == CurveStyle::Pattern::Dotted) {
            pen.setDashPattern({2 / style.width, 4 / style.width});
        }
        painter.setPen(pen);
        painter.drawPolyline(points.data(), int(points.size()));
        m_vertexCount += int(points.size());
        return;
    }
    // Separate lines: the cost of a joined wide polyline grows with the square of its crossings.
    QList<QLineF> lines;
    lines.reserve(points.size());
    for (qsizetype i = 1; i < points.size(); ++i) {
        const double middle = (points[i - 1].x() + points[i].x()) / 2 - m_plot.left();
        if (isDrawn(int(middle * m_columns / m_plot.width()), style.pattern)) {
            lines.emplaceBack(points[i - 1], points[i]);
        }
    }
    const bool isTight = pixelsPerPoint < m_ratio;
    QPen pen =
        penOf(style, isTight && style.width < 2 ? 1.0 : std::min(style.width, 1.5) * m_ratio);
    pen.setCapStyle(isTight ? Qt::FlatCap : Qt::RoundCap);
    painter.setPen(pen);
    painter.drawLines(lines);
    m_vertexCount += 2 * int(lines.size());
}

} // namespace cannery::ui
