// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_commands.h"

#include <QKeyEvent>

#include <algorithm>
#include <array>

namespace cannery::ui {
namespace {

constexpr int kShift = int(Qt::ShiftModifier);
constexpr int kControl = int(Qt::ControlModifier);

constexpr std::array kCommands{
    ChartCommandRow{ChartCommand::LogY, QT_TRANSLATE_NOOP("ChartCard", "Logarithmic y"), Qt::Key_L,
                    true},
    ChartCommandRow{ChartCommand::LogX, QT_TRANSLATE_NOOP("ChartCard", "Logarithmic x"),
                    kShift | Qt::Key_L, true},
    ChartCommandRow{ChartCommand::NextXAxis, QT_TRANSLATE_NOOP("ChartCard", "Next x Axis"),
                    Qt::Key_X},
    ChartCommandRow{ChartCommand::MoreSmoothing, QT_TRANSLATE_NOOP("ChartCard", "More Smoothing"),
                    Qt::Key_BracketRight, false, true},
    ChartCommandRow{ChartCommand::LessSmoothing, QT_TRANSLATE_NOOP("ChartCard", "Less Smoothing"),
                    Qt::Key_BracketLeft},
    ChartCommandRow{ChartCommand::Outliers, QT_TRANSLATE_NOOP("ChartCard", "Ignore Outliers"),
                    Qt::Key_O, true},
    ChartCommandRow{ChartCommand::ShowOverwritten,
                    QT_TRANSLATE_NOOP("ChartCard", "Show Overwritten Steps"), 0, true},
    ChartCommandRow{ChartCommand::ZoomIn, QT_TRANSLATE_NOOP("ChartCard", "Zoom In"), Qt::Key_Plus,
                    false, true},
    ChartCommandRow{ChartCommand::ZoomOut, QT_TRANSLATE_NOOP("ChartCard", "Zoom Out"),
                    Qt::Key_Minus},
    ChartCommandRow{ChartCommand::UndoZoom, QT_TRANSLATE_NOOP("ChartCard", "Undo Zoom"),
                    Qt::Key_Escape},
    ChartCommandRow{ChartCommand::ResetZoom, QT_TRANSLATE_NOOP("ChartCard", "Reset Zoom"),
                    Qt::Key_Home},
    ChartCommandRow{ChartCommand::Follow, QT_TRANSLATE_NOOP("ChartCard", "Follow New Data"),
                    Qt::Key_F, true},
    ChartCommandRow{ChartCommand::SetLimits, QT_TRANSLATE_NOOP("ChartCard", "Set Limits…")},
    ChartCommandRow{ChartCommand::PreviousPoint, QT_TRANSLATE_NOOP("ChartCard", "Previous Point"),
                    Qt::Key_Left, false, true},
    ChartCommandRow{ChartCommand::NextPoint, QT_TRANSLATE_NOOP("ChartCard", "Next Point"),
                    Qt::Key_Right},
    ChartCommandRow{ChartCommand::PreviousRun, QT_TRANSLATE_NOOP("ChartCard", "Previous Run"),
                    Qt::Key_Up},
    ChartCommandRow{ChartCommand::NextRun, QT_TRANSLATE_NOOP("ChartCard", "Next Run"),
                    Qt::Key_Down},
    ChartCommandRow{ChartCommand::PinReadout, QT_TRANSLATE_NOOP("ChartCard", "Pin These Values"),
                    Qt::Key_Return},
    ChartCommandRow{ChartCommand::CopyValues, QT_TRANSLATE_NOOP("ChartCard", "Copy Values"),
                    kControl | Qt::Key_C, false, true},
    ChartCommandRow{ChartCommand::CopyImage, QT_TRANSLATE_NOOP("ChartCard", "Copy Image"),
                    kControl | kShift | Qt::Key_C},
    ChartCommandRow{ChartCommand::SaveAs, QT_TRANSLATE_NOOP("ChartCard", "Save As…")},
    ChartCommandRow{ChartCommand::DataTable, QT_TRANSLATE_NOOP("ChartCard", "Data Table…")},
};

constexpr std::array kWeights{0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999};
constexpr std::array kWindows{3, 5, 9, 15, 31, 63, 127, 255, 511};

/// The next entry of an ascending list above (or below) the value; empty beyond its end.
template <typename List, typename Value>
std::optional<Value> nextOf(const List& list, Value value, bool up)
{
    if (up) {
        const auto next = std::ranges::upper_bound(list, value);
        return next == list.end() ? std::nullopt : std::optional<Value>(*next);
    }
    const auto here = std::ranges::lower_bound(list, value);
    return here == list.begin() ? std::nullopt : std::optional<Value>(*std::prev(here));
}

} // namespace

std::span<const ChartCommandRow> chartCommands()
{
    return kCommands;
}

std::optional<ChartCommand> chartCommandOf(const QKeyEvent& event)
{
    const Qt::KeyboardModifiers modifiers = event.modifiers() & ~Qt::KeypadModifier;
    int key = event.key();
    switch (key) {
    case Qt::Key_Equal:
        key = Qt::Key_Plus;
        break;
    case Qt::Key_0:
        key = Qt::Key_Home;
        break;
    case Qt::Key_Enter:
        key = Qt::Key_Return;
        break;
    default:
        break;
    }
    const bool isMove = key == Qt::Key_Left || key == Qt::Key_Right;
    // Brackets, plus and minus are on shifted keys on many keyboards.
    const bool isSign = key == Qt::Key_BracketLeft || key == Qt::Key_BracketRight ||
                        key == Qt::Key_Plus || key == Qt::Key_Minus;
    int wanted = key | int(modifiers);
    if (isMove) {
        wanted &= ~kShift;
    } else if (isSign) {
        wanted = modifiers & Qt::ControlModifier ? wanted : key;
    }
    for (const ChartCommandRow& row : kCommands) {
        if (row.key != 0 && row.key == wanted) {
            return row.command;
        }
    }
    return std::nullopt;
}

Smoothing nextSmoothing(const Smoothing& smoothing, bool stronger)
{
    Smoothing next = smoothing;
    if (smoothing.isOff()) {
        if (stronger) {
            next.kind = SmoothingKind::Exponential;
            next.weight = kWeights.front();
        }
        return next;
    }
    if (smoothing.kind == SmoothingKind::Exponential) {
        if (const auto weight = nextOf(kWeights, smoothing.weight, stronger)) {
            next.weight = *weight;
        } else if (!stronger) {
            next.kind = SmoothingKind::Off;
        }
        return next;
    }
    if (const auto window = nextOf(kWindows, smoothing.window, stronger)) {
        next.window = *window;
    } else if (!stronger) {
        next.kind = SmoothingKind::Off;
    }
    return next;
}

} // namespace cannery::ui
