// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <QObject>
#include <QPointer>

#include <optional>
#include <vector>

class QPointF;

namespace cannery::ui {

class ChartLink;
struct ChartPlot;
class RepaintClock;

/// The options of a chart as requested, and the history of its ranges: what zooms, pans and undoes.
/// Gives them to the plot, and the x range to the other cards of a link. GUI thread.
class ChartZoom : public QObject
{
    Q_OBJECT

public:
    /// Which step of the history a change of the range belongs to.
    enum class Step
    {
        Own,
        JoinsRecent, ///< turns of the wheel and keys in a row are one zoom
        JoinsLast,   ///< the rest of a drag
    };

    ChartZoom(ChartPlot& plot, const RepaintClock& clock);

    const ChartOptions& options() const { return m_options; }
    void setOptions(const ChartOptions& options);
    /// As setOptions(), but by the user: emits changedByPerson(), and keeps the history.
    void change(const ChartOptions& options);
    /// Forgets history and range, whose unit has changed.
    void setXAxis(XAxis axis);
    void setLink(ChartLink* link);

    /// Nothing: follows the data. True: the range has changed.
    bool setX(std::optional<AxisLimits> limits, Step step);
    bool setY(std::optional<AxisLimits> limits, Step step);
    void zoomX(double factor, double aroundPixel);
    void zoomY(double factor, double aroundPixel);
    bool pan(const QPointF& by, Step step);
    bool canUndo() const { return !m_history.empty(); }
    void undo();
    void reset();

Q_SIGNALS:
    void changed();
    void changedByPerson();

private:
    struct Range
    {
        std::optional<AxisLimits> x;
        std::optional<AxisLimits> y;
    };

    void apply(const ChartOptions& options);
    void followLink();
    void shareX();
    void push(Step step);

    ChartPlot& m_plot;
    const RepaintClock& m_clock;
    QPointer<ChartLink> m_link;
    ChartOptions m_options;
    std::vector<Range> m_history;
    qint64 m_lastPush = -1000000;
};

} // namespace cannery::ui
