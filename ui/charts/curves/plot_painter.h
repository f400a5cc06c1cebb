// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_plot.h"

#include <vector>

class QImage;
class QPainter;

namespace cannery::ui {

class CurvePainter;
struct ReducedCurve;
struct CurveStyle;

/// Paints the curves of a plot with a layout, then its marks, onto any device: one painter for each
/// picture.
class PlotPainter
{
public:
    explicit PlotPainter(const ChartPlot& plot);

    /// Paints onto pixels, `ratio` of them per logical pixel, in half as many columns if `coarse`;
    /// or with a painter in logical units. Returns the number of vertices.
    int paintCurves(QImage& image, double ratio, bool coarse);
    int paintCurves(QPainter& painter);
    /// Also where the curves leave the picture: after paintCurves().
    void paintMarks(QPainter& painter) const;

private:
    int drawAll(CurvePainter& painter, int columns);
    /// Another run is faded for this one.
    bool isEmphasised(const Curve& curve) const;
    CurveStyle styleOf(const Curve& curve) const;
    void drawSeries(CurvePainter& painter, const Curve& curve, const CurveData& data, int columns);
    void drawBandCentre(CurvePainter& painter, const Curve& curve, int columns) const;
    void fillBands(QPainter& painter) const;
    void fillBand(QPainter& painter, const Curve& curve) const;
    void noteLeaving(const ReducedCurve& reduced, int slot, int columns);
    void paintNonFinite(QPainter& painter) const;
    void paintLeaving(QPainter& painter) const;
    void paintEnds(QPainter& painter) const;
    void paintMark(QPainter& painter, const ChartMark& mark) const;

    /// Where a curve leaves the picture at its top or bottom, found while painting.
    struct Leaving
    {
        double x;
        bool above;
        int colourSlot;
    };

    const ChartContent& m_content;
    const ChartAxes& m_axes;
    const QRectF m_plot;
    std::vector<Leaving> m_leaving;
};

} // namespace cannery::ui
