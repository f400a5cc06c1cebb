// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"
#include "ui/charts/curves/chart_commands.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kKeyZoom = 1.5;

} // namespace

void ChartCard::Private::walk(int by)
{
    if (plot.curves().isEmpty()) {
        return;
    }
    if (!cursor) {
        const auto start = plot.snapped(by > 0 ? plot.x().limits().min : plot.x().limits().max);
        moveCursor(start, true);
        return;
    }
    if (const auto next = plot.neighbour(currentCurve, *cursor, by)) {
        moveCursor(next, true);
    }
}

void ChartCard::Private::chooseCurve(int by)
{
    const int count = int(plot.curves().size());
    if (count == 0) {
        return;
    }
    currentCurve = std::clamp(currentCurve + by, 0, count - 1);
    const QString run = plot.curves()[currentCurve].run;
    hoveredRun = run;
    card.setEmphasis(run);
    Q_EMIT card.runHovered(run);
    if (cursor) {
        const auto nearest = plot.neighbour(currentCurve, *cursor, 0);
        moveCursor(nearest ? nearest : cursor, true);
    }
}

bool ChartCard::Private::knowsEpochs() const
{
    return std::ranges::any_of(plot.curves(), [](const Curve& curve) {
        return curve.series && curve.series->stepsPerEpoch() > 0;
    });
}

void ChartCard::Private::setXAxis(XAxis axis)
{
    ChartOptions changed = options;
    changed.xAxis = axis;
    changed.xLimits.reset();
    if (axis == XAxis::WallClock) {
        changed.logX = false;
    }
    zooms.clear();
    cursor.reset();
    apply(changed);
    updatePointer();
}

void ChartCard::Private::escape()
{
    if (drag != Drag::None) {
        endDrag();
    } else if (!zooms.empty()) {
        undoZoom();
    } else if (cursor) {
        cursorStays = false;
        moveCursor(std::nullopt, true);
    } else if (!plot.emphasis().isEmpty()) {
        hoveredRun.clear();
        card.setEmphasis({});
        Q_EMIT card.runHovered({});
    } else {
        card.clearFocus();
    }
}

bool ChartCard::isChecked(ChartCommand command) const
{
    const ChartOptions& options = m_private->options;
    switch (command) {
    case ChartCommand::LogX:
        return options.logX;
    case ChartCommand::LogY:
        return options.logY;
    case ChartCommand::Outliers:
        return options.ignoreOutliers;
    case ChartCommand::ShowOverwritten:
        return options.showOverwritten;
    case ChartCommand::Follow:
        return options.follows();
    default:
        return false;
    }
}

bool ChartCard::Private::changeOptions(ChartCommand command)
{
    ChartOptions changed = options;
    switch (command) {
    case ChartCommand::LogX:
        changed.logX = changed.xAxis == XAxis::WallClock ? changed.logX : !changed.logX;
        break;
    case ChartCommand::LogY:
        changed.logY = !changed.logY;
        break;
    case ChartCommand::Outliers:
        changed.ignoreOutliers = !changed.ignoreOutliers;
        break;
    case ChartCommand::ShowOverwritten:
        changed.showOverwritten = !changed.showOverwritten;
        break;
    case ChartCommand::LessSmoothing:
    case ChartCommand::MoreSmoothing:
        changed.smoothing =
            nextSmoothing(changed.smoothing, command == ChartCommand::MoreSmoothing);
        break;
    default:
        return false;
    }
    apply(changed);
    return true;
}

bool ChartCard::Private::changeRange(ChartCommand command)
{
    const double middle = cursor ? plot.toPixel(*cursor) : plot.plot().center().x();
    switch (command) {
    case ChartCommand::NextXAxis: {
        int next = (int(options.xAxis) + 1) % 4;
        next += next == int(XAxis::Epoch) && !knowsEpochs() ? 1 : 0;
        setXAxis(XAxis(next));
        return true;
    }
    case ChartCommand::ZoomIn:
        zoomX(kKeyZoom, middle, true);
        return true;
    case ChartCommand::ZoomOut:
        zoomX(1 / kKeyZoom, middle, true);
        return true;
    case ChartCommand::ResetZoom:
        resetZoom();
        return true;
    case ChartCommand::UndoZoom:
        undoZoom();
        return true;
    case ChartCommand::Follow:
        setXLimits(options.xLimits ? std::nullopt : std::optional(plot.x().limits()), false);
        return true;
    case ChartCommand::SetLimits:
        askLimits();
        return true;
    default:
        return false;
    }
}

bool ChartCard::Private::moveAlong(ChartCommand command)
{
    switch (command) {
    case ChartCommand::PreviousPoint:
        walk(-1);
        return true;
    case ChartCommand::NextPoint:
        walk(1);
        return true;
    case ChartCommand::PreviousRun:
        chooseCurve(-1);
        return true;
    case ChartCommand::NextRun:
        chooseCurve(1);
        return true;
    case ChartCommand::PinReadout:
        cursorStays = cursor.has_value();
        if (cursor) {
            Q_EMIT card.pinRequested();
        }
        return true;
    default:
        return false;
    }
}

void ChartCard::Private::handOut(ChartCommand command)
{
    switch (command) {
    case ChartCommand::CopyValues:
        if (const QString text = card.valuesAsText(); !text.isEmpty()) {
            QGuiApplication::clipboard()->setText(text);
        }
        break;
    case ChartCommand::CopyImage:
        QGuiApplication::clipboard()->setImage(card.toImage());
        break;
    case ChartCommand::SaveAs:
        askFile();
        break;
    case ChartCommand::DataTable:
        showTable();
        break;
    default:
        break;
    }
}

void ChartCard::perform(ChartCommand command)
{
    Private& d = *m_private;
    if (!d.changeOptions(command) && !d.changeRange(command) && !d.moveAlong(command)) {
        d.handOut(command);
    }
}

} // namespace cannery::ui
