// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/charts/curves/chart_commands.h"

class QWidget;

namespace cannery::ui {

class ChartCursor;
class ChartOutput;
struct ChartPlot;
class ChartZoom;

/// Does what the keys, the menu and the window's actions ask of a chart. GUI thread.
class ChartCommandRunner
{
public:
    ChartCommandRunner(const ChartPlot& plot, ChartZoom& zoom, ChartCursor& cursor,
                       ChartOutput& output);

    /// `window`: the parent of dialogs.
    void perform(ChartCommand command, QWidget* window);
    /// For commands that toggle something.
    bool isChecked(ChartCommand command) const;
    bool isEnabled(ChartCommand command) const;

    void setXAxis(XAxis axis);
    bool knowsEpochs() const;
    void setSmoothing(SmoothingKind kind);
    const ChartOptions& options() const;

private:
    // False: another command.
    bool changeOptions(ChartCommand command);
    bool changeRange(ChartCommand command);
    bool moveAlong(ChartCommand command);
    void handOut(ChartCommand command);
    void askLimits(QWidget* window);

    const ChartPlot& m_plot;
    ChartZoom& m_zoom;
    ChartCursor& m_cursor;
    ChartOutput& m_output;
};

} // namespace cannery::ui
