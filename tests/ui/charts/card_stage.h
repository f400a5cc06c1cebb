// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "tests/support/patience.h"
#include "tests/ui/charts/scripted_series.h"
#include "tests/ui/charts/virtual_time.h"
#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/charts/curves/chart_output.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/widgets/style/theme.h"

#include <QApplication>
#include <QTest>

#include <cmath>
#include <memory>
#include <vector>

namespace cannery::tests {

inline ui::Curve curveOf(const ScriptedSeries& series, int slot = 0, bool dashed = false)
{
    ui::Curve curve;
    curve.series = &series;
    curve.run = series.key().run;
    curve.label = series.key().run + (dashed ? " evaluation" : "");
    curve.colourSlot = slot;
    curve.dashed = dashed;
    return curve;
}

inline void fill(ScriptedSeries& series, int count, float (*value)(int))
{
    for (int i = 0; i < count; ++i) {
        series.add(i, value(i));
    }
    series.publish();
}

inline float wave(int i)
{
    return std::sin(float(i) * 0.01F);
}

/// Where curves are drawn, in card coordinates.
inline QRectF plotRectangle(const ui::ChartCard& card)
{
    return card.canvas().plot().axes.plot().translated(card.canvas().pos());
}

/// A card in an active window of its own, with a clock that the test controls.
class CardStage
{
public:
    explicit CardStage(const QSize& size = {480, 300},
                       ui::ChartCard::Size kind = ui::ChartCard::Size::Normal)
        : card(kind, &window)
    {
        card.setTimeSource(&time);
        card.setTag("loss");
        card.header().setTitle("loss");
        window.resize(size);
        card.setGeometry(QRect(QPoint(), size));
    }
    ~CardStage() { card.setCurves({}); }

    ScriptedSeries& addSeries(const QString& run = "run-001", const QString& folder = {})
    {
        series.push_back(std::make_unique<ScriptedSeries>(ui::SeriesKey{run, folder, "loss"}));
        return *series.back();
    }
    /// All series of the stage, each in its own colour.
    void showCurves()
    {
        QList<ui::Curve> curves;
        for (const auto& one : series) {
            curves += curveOf(*one, int(curves.size()) % 16, one->key().isEvaluation());
        }
        card.setCurves(curves);
    }
    void show()
    {
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window, kPatience));
        settle();
    }
    /// Advances the clock and processes the repaints that are due.
    void settle(int milliseconds = 20)
    {
        time.advance(milliseconds);
        QCoreApplication::processEvents();
        QCoreApplication::processEvents();
    }
    void tellOf(const ScriptedSeries& changed) { card.seriesChanged({changed.key()}); }
    /// Only the plot, one pixel per logical pixel.
    QImage plot()
    {
        return card.grab(plotRectangle(card).toAlignedRect())
            .toImage()
            .convertToFormat(QImage::Format_RGB32);
    }
    QWidget* canvas() { return card.childAt(plotRectangle(card).center().toPoint()); }
    QPoint inCanvas(double x, double y)
    {
        const QRectF plot = plotRectangle(card);
        const QPointF at(plot.left() + x * plot.width(), plot.top() + y * plot.height());
        return canvas()->mapFrom(&card, at.toPoint());
    }

    VirtualTime time;
    std::vector<std::unique_ptr<ScriptedSeries>> series;
    QWidget window;
    ui::ChartCard card;
};

/// Whether the pixel has the hue of the slot's colour, faded or not.
inline bool isOfSlot(QRgb pixel, int slot)
{
    const QColor found(pixel);
    const QColor wanted = ui::seriesColour(slot);
    const QColor ground = ui::tokens().surface;
    const auto away = [](const QColor& a, const QColor& b) {
        return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
               std::abs(a.blue() - b.blue());
    };
    return away(found, wanted) < away(ground, wanted) / 3;
}

/// The number of pixels of the slot's hue in a part of the picture.
inline int pixelsOfSlot(const QImage& image, int slot, const QRect& where)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            count += image.rect().contains(x, y) && isOfSlot(image.pixel(x, y), slot) ? 1 : 0;
        }
    }
    return count;
}

} // namespace cannery::tests
