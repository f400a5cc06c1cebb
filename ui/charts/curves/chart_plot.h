// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/curve.h"
#include "ui/models/curves/axis_scale.h"
#include "ui/models/curves/curve_data.h"

#include <QCoreApplication>
#include <QMargins>
#include <QRectF>

#include <memory>
#include <optional>
#include <vector>

class QImage;
class QPainter;

namespace cannery::ui {

class CurvePainter;
struct ReducedCurve;

/// The label at a tick of an axis.
struct AxisLabel
{
    double position; ///< 0 to 1 along the axis
    QString text;

    bool operator==(const AxisLabel&) const = default;
};

/// The content and geometry of a chart: curves and their derived columns, ranges, ticks, and
/// painting of curves and marks onto any device. Not a widget; a ChartFrame shows its ticks. GUI
/// thread.
class ChartPlot
{
    Q_DECLARE_TR_FUNCTIONS(ChartPlot)

public:
    ChartPlot();
    ~ChartPlot();

    void setCurves(const QList<Curve>& curves);
    const QList<Curve>& curves() const { return m_curves; }
    void setMarks(const QList<ChartMark>& marks) { m_marks = marks; }
    void setLiveRuns(const QSet<QString>& runs) { m_liveRuns = runs; }
    void setEmphasis(const QString& run) { m_emphasis = run; }
    QString emphasis() const { return m_emphasis; }
    void setOptions(const ChartOptions& options);
    const ChartOptions& options() const { return m_options; }

    /// Updates derived columns, a bounded amount at a time. False: call again.
    bool update();
    /// Computes ranges and ticks for this size, with room for legend and titles `around` them, in
    /// whole pixels. Ticks of a chart that follows its data change at most once a second;
    /// `byPerson` changes them at once.
    void layOut(const QSizeF& size, const QMargins& around, qint64 now, bool byPerson);

    QSizeF size() const { return m_size; }
    QMargins around() const { return m_around; }
    QRectF plot() const { return m_plot; } ///< inside the size
    const AxisScale& x() const { return m_x; }
    const AxisScale& y() const { return m_y; }
    bool isEmpty() const;     ///< no curve has a point
    AxisLimits dataX() const; ///< the limits that show all points

    /// The visible ticks; on the x axis those with enough room.
    QList<AxisLabel> xLabels() const;
    QList<AxisLabel> yLabels() const;
    QList<QRectF> xLabelBoxes() const; ///< of xLabels(), inside the size
    /// Paints onto pixels, `ratio` of them per logical pixel, in half as many columns if `coarse`;
    /// or with a painter in logical units. Returns the number of vertices.
    int paintCurves(QImage& image, double ratio, bool coarse) const;
    int paintCurves(QPainter& painter) const;
    void paintMarks(QPainter& painter) const;

    double toPixel(double x) const { return m_plot.left() + m_x.toPosition(x) * m_plot.width(); }
    double yToPixel(double y) const
    {
        return m_plot.bottom() - m_y.toPosition(y) * m_plot.height();
    }
    double toX(double pixel) const { return m_x.toValue((pixel - m_plot.left()) / m_plot.width()); }
    double toY(double pixel) const
    {
        return m_y.toValue((m_plot.bottom() - pixel) / m_plot.height());
    }

    /// The x of the nearest logged point of any curve.
    std::optional<double> snapped(double x) const;
    /// The x of the `by`-th logged point of this curve before or after x.
    std::optional<double> neighbour(int curve, double x, int by) const;
    QList<ReadoutRow> rows(double x) const;
    /// The nearest curve within a few pixels; -1: none.
    int curveAt(const QPointF& pixel) const;

    std::optional<float> lastValue(int curve) const;
    qint64 nonFiniteCount(qint64* nan = nullptr) const;
    qint64 hiddenCount() const;
    QString xTitle() const;
    /// "falling", "rising", "steady": compares the last fifth of a curve with the fifth before it.
    QString trend(int curve) const;
    const CurveData* data(int curve) const { return m_data[size_t(curve)].get(); }
    /// The x of a step; on a time axis according to the first curve's points.
    std::optional<double> xOfStep(double step) const;

private:
    int drawAll(CurvePainter& painter, int columns) const;
    void drawSeries(CurvePainter& painter, const Curve& curve, const CurveData& data,
                    int columns) const;
    void drawBandCentre(CurvePainter& painter, const Curve& curve, int columns) const;
    void fillBands(QPainter& painter) const;
    void fillBand(QPainter& painter, const Curve& curve) const;
    void noteLeaving(const ReducedCurve& reduced, int slot, int columns) const;

    AxisLimits dataY() const;
    int tickCountY() const;
    std::optional<AxisLimits> visibleExtremes() const;
    std::optional<AxisLimits> visiblePercentiles() const;
    bool isFaded(const Curve& curve) const;
    void paintNonFinite(QPainter& painter) const;
    void paintLeaving(QPainter& painter) const;
    void paintEnds(QPainter& painter) const;
    void paintMark(QPainter& painter, const ChartMark& mark) const;

    QList<Curve> m_curves;
    std::vector<std::unique_ptr<CurveData>> m_data; ///< null for bands
    QList<ChartMark> m_marks;
    QSet<QString> m_liveRuns;
    QString m_emphasis;
    ChartOptions m_options;
    QSizeF m_size;
    QMargins m_around;
    QRectF m_plot;
    AxisScale m_x;
    AxisScale m_y;
    AxisTicks m_xTicks;
    AxisTicks m_yTicks;
    qint64 m_ticksMade = -1;
    /// Where each curve leaves the picture at its top or bottom, found while painting.
    struct Leaving
    {
        double x;
        bool above;
        int colourSlot;
    };
    mutable std::vector<Leaving> m_leaving;
};

} // namespace cannery::ui
