// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/chart_card.h"

#include <QFont>
#include <QRectF>

#include <optional>

class QPainter;

namespace cannery::ui {

class ChartPlot;

/// What follows the pointer: hairline, dots, chip, read-out.
struct ChartPointer
{
    std::optional<double> x; ///< of the hairline, in units of the axis
    QString chip;            ///< "5,000"
    QString heading;         ///< "Step 5,000"
    QList<ReadoutRow> rows;  ///< of the dots and of the read-out
    bool showsReadout = false;
    std::optional<QRectF> selection; ///< in pixels of the canvas
};

/// Paints a pointer over a plot that is laid out.
class PointerPainter
{
public:
    PointerPainter(QPainter& painter, const ChartPlot& plot, const ChartPointer& pointer);

    void paint();

private:
    /// Rows of a read-out that have room, and how wide they are.
    struct Readout
    {
        qsizetype shown;
        double rowHeight;
        double labelWidth;
        double valueWidth;
    };

    void paintSelection(const QRectF& selection);
    void paintHairline();
    void paintDots();
    void paintChip();
    void paintReadout();
    void paintRow(const ReadoutRow& row, const QRectF& line, double labelWidth);
    Readout readout() const;
    qsizetype roomFor(double rowHeight) const;
    QRectF readoutCard(const Readout& readout) const;

    QPainter& m_painter;
    const ChartPlot& m_plot;
    const ChartPointer& m_pointer;
    double m_pixel = 0; ///< of x
    QFont m_labelFont;
    QFont m_valueFont;
};

} // namespace cannery::ui
