// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_canvas.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_link.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_table_model.h"
#include "ui/charts/repaint_clock.h"
#include "ui/widgets/button.h"
#include "ui/widgets/icon_button.h"

#include <QPointer>

namespace cannery::ui {

struct CardMeasures
{
    QSize hint;
    int header;
    int padding;
};

CardMeasures measuresOf(ChartCard::Size size);

/// The parts and the interaction state of a card: chart_card.cpp (content), chart_card_header.cpp
/// (texts), chart_card_zoom.cpp (ranges and cursor), chart_card_commands.cpp (commands of keys and
/// menus), chart_card_output.cpp (pictures and files), chart_card_input.cpp (mouse and keys).
class ChartCard::Private
{
public:
    Private(ChartCard& card, Size size);

    // Content.
    void request(RepaintClock::Cause cause);
    void tick();
    RepaintClock::Pace pace() const;
    void arrange();
    QRectF headerRect() const;
    void paintHeader(QPainter& painter) const;
    double paintHeadline(QPainter& painter, double right) const;
    bool hasLegend() const;
    /// The curve whose last value is the headline: the requested one, otherwise the first, if there
    /// is one run; -1 for several runs.
    int headlineCurve() const;
    /// "train 0.3124": the last values next to the headline; of one curve, empty if it has none.
    QStringList otherValues() const;
    QString otherValue(int curve) const;
    QStringList warnings() const; ///< "3 NaN", "37 values ≤ 0 hidden"

    // Ranges and cursor.
    void apply(const ChartOptions& changed);
    void pushZoom(bool joinsLast);
    void setXLimits(std::optional<AxisLimits> limits, bool joinsLast);
    void setYLimits(std::optional<AxisLimits> limits, bool joinsLast);
    void zoomX(double factor, double aroundPixel, bool joinsLast);
    void zoomY(double factor, double aroundPixel, bool joinsLast);
    void pan(const QPointF& by);
    void undoZoom();
    void resetZoom();
    void followLink();
    void followLinkCursor();
    void moveCursor(std::optional<double> x, bool byKeys);
    void updatePointer();

    // Commands of keys and menus. False: another command.
    bool changeOptions(ChartCommand command);
    bool changeRange(ChartCommand command);
    bool moveAlong(ChartCommand command);
    void handOut(ChartCommand command);
    void walk(int by);
    void chooseCurve(int by);
    void setXAxis(XAxis axis);
    bool knowsEpochs() const;
    void escape();
    void showMenu(const QPoint& globalPosition);
    void fillMenu(QMenu& menu);
    void fillAxisMenu(QMenu& menu);
    void fillSmoothingMenu(QMenu& menu);
    void askLimits();
    void askFile();
    void showTable();

    // Mouse and keys.
    bool canvasEvent(QEvent* event);
    bool press(QMouseEvent& event);
    bool move(QMouseEvent& event);
    bool release(QMouseEvent& event);
    bool wheel(QWheelEvent& event);
    bool scrollsByWheel() const;
    void hover(const QPointF& position);
    void leave();
    void endDrag();
    QSize figureSize() const;

    struct Zoom
    {
        std::optional<AxisLimits> x;
        std::optional<AxisLimits> y;
    };
    enum class Drag
    {
        None,
        Pressed,
        Select,
        SelectBox,
        Pan,
        Title,
    };

    ChartCard& card;
    Size size;
    ChartPlot plot;
    ChartCanvas* canvas;
    IconButton* menuButton;
    QAbstractButton* followButton;
    RepaintClock clock;
    ChartTableModel table;
    int tableStamp = -1; ///< paintCount() at its last refresh
    QPointer<ChartLink> link;
    ChartOptions options;
    QString title;
    QString note;
    QString headline;
    QString tag;
    bool showsHoverReadout = true;
    bool byPerson = true;
    bool isLaidOut = false;
    bool missedWhileHidden = false;

    std::vector<Zoom> zooms;
    qint64 lastZoom = -1000000;
    std::optional<double> cursor;
    bool cursorIsOwn = false; ///< set by this card's mouse or keys, not by the link
    bool cursorStays = false; ///< clicked: stays when the pointer leaves
    bool cursorByKeys = false;
    int currentCurve = 0;
    QString hoveredRun;

    Drag drag = Drag::None;
    bool spaceIsDown = false;
    QPointF pressedAt;
    QPointF draggedTo;
};

} // namespace cannery::ui
