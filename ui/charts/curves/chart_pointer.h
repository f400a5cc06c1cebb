// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/curve.h"

#include <QFont>
#include <QList>
#include <QRectF>

#include <optional>

class QPainter;

namespace cannery::ui {

struct ChartPlot;

/// What follows the pointer: hairline, dots, chip, readout.
struct ChartPointer
{
    std::optional<double> x; ///< of the hairline, in axis units
    QString chip;            ///< "5,000"
    QString heading;         ///< "Step 5,000"
    QList<ReadoutRow> rows;  ///< for the dots and the readout
    bool showsReadout = false;
    std::optional<QRectF> selection; ///< in canvas pixels
};

/// Paints a pointer over a plot with a layout.
class PointerPainter
{
public:
    PointerPainter(QPainter& painter, const ChartPlot& plot, const ChartPointer& pointer);

    void paint();

private:
    /// How many rows of a readout fit, and how wide they are.
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
