// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/curves/chart_options.h"

#include <optional>
#include <span>

class QKeyEvent;

namespace cannery::ui {

/// The commands of a chart's keys, its menu and the window's actions.
enum class ChartCommand
{
    LogX,
    LogY,
    NextXAxis,
    Outliers,
    LessSmoothing,
    MoreSmoothing,
    ZoomIn,
    ZoomOut,
    ResetZoom,
    UndoZoom,
    Follow,
    ShowOverwritten,
    SetLimits,
    PreviousPoint,
    NextPoint,
    PreviousRun,
    NextRun,
    PinReadout,
    CopyValues,
    CopyImage,
    SaveAs,
    DataTable,
};

/// One row of the table for a chart's keys and menu.
struct ChartCommandRow
{
    ChartCommand command;
    const char* text; ///< the menu text, to be translated in the context "ChartCard"
    int key = 0;      ///< with modifiers; 0: none
    bool isSwitch = false;
    bool beginsGroup = false;
};

/// In menu order.
std::span<const ChartCommandRow> chartCommands();
/// The command of a key press; empty for other keys. Shifted moves go ten at a time.
std::optional<ChartCommand> chartCommandOf(const QKeyEvent& event);

/// The smoothing one step stronger (or weaker, down to none) than this one, of the same kind.
Smoothing nextSmoothing(const Smoothing& smoothing, bool stronger);

} // namespace cannery::ui
