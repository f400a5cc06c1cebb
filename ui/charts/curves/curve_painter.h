// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/curve_reducer.h"

#include <QColor>
#include <QImage>
#include <QLineF>
#include <QRectF>

#include <utility>
#include <vector>

class QPainter;

namespace cannery::ui {

struct CurveStyle
{
    QColor colour;
    double opacity = 1;
    double width = 1.75; ///< logical pixels, for curves with few points; dense ones are thin
    enum class Pattern
    {
        Solid,
        Dashed,
        Dotted,
    } pattern = Pattern::Solid;
};

/// Draws reduced curves into a plot area: onto the pixels of an image, where a dense curve is
/// filled column by column and never stroked (a wide stroke of 3,200 vertices takes 140 ms), or
/// with any painter (SVG, PDF) as lines one pixel wide. Counts the vertices it draws.
class CurvePainter
{
public:
    /// `plot` in image pixels (`ratio` of them per logical pixel).
    CurvePainter(QImage& image, const QRectF& plot, double ratio, const AxisScale& y, int columns);
    /// `plot` in painter units.
    CurvePainter(QPainter& painter, const QRectF& plot, const AxisScale& y, int columns);

    void draw(const ReducedCurve& curve, const CurveStyle& style);
    int vertexCount() const { return m_vertexCount; }

private:
    struct Strip
    {
        int column;
        double top;
        double bottom;
    };

    double yOf(double value) const;
    /// Where the line between two columns leaves and enters.
    std::pair<double, double> joint(const ColumnSpan& before, const Strip& left,
                                    const ColumnSpan& after, const Strip& right) const;
    std::vector<Strip> strips(const std::vector<ColumnSpan>& spans) const;
    void drawDense(const ReducedCurve& curve, const CurveStyle& style);
    void fillStrips(const std::vector<Strip>& strips, const CurveStyle& style);
    void drawSparse(QPainter& painter, const ReducedCurve& curve, const CurveStyle& style);
    void drawStretch(QPainter& painter, const QList<QPointF>& points, const CurveStyle& style);
    bool isDrawn(int column, CurveStyle::Pattern pattern) const;

    QImage* m_image = nullptr;
    QPainter* m_painter = nullptr;
    QRectF m_plot;
    double m_ratio = 1;
    AxisScale m_y;
    int m_columns;
    int m_vertexCount = 0;
};

} // namespace cannery::ui
