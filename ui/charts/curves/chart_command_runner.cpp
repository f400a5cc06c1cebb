// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_command_runner.h"

#include "ui/charts/curves/chart_cursor.h"
#include "ui/charts/curves/chart_output.h"
#include "ui/charts/curves/chart_plot.h"
#include "ui/charts/curves/chart_zoom.h"
#include "ui/charts/curves/limits_dialog.h"

#include <QClipboard>
#include <QGuiApplication>

#include <algorithm>

namespace cannery::ui {
namespace {

constexpr double kKeyZoom = 1.5;

} // namespace

ChartCommandRunner::ChartCommandRunner(const ChartPlot& plot, ChartZoom& zoom, ChartCursor& cursor,
                                       ChartOutput& output)
    : m_plot(plot), m_zoom(zoom), m_cursor(cursor), m_output(output)
{}

void ChartCommandRunner::perform(ChartCommand command, QWidget* window)
{
    if (command == ChartCommand::SetLimits) {
        askLimits(window);
    } else if (!changeOptions(command) && !changeRange(command) && !moveAlong(command)) {
        handOut(command);
    }
}

bool ChartCommandRunner::isChecked(ChartCommand command) const
{
    const ChartOptions& options = m_zoom.options();
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

bool ChartCommandRunner::isEnabled(ChartCommand command) const
{
    switch (command) {
    case ChartCommand::UndoZoom:
        return m_zoom.canUndo();
    case ChartCommand::ResetZoom:
        return m_zoom.options().xLimits || m_zoom.options().yLimits;
    case ChartCommand::CopyValues:
    case ChartCommand::PinReadout:
        return m_cursor.x().has_value();
    default:
        return true;
    }
}

const ChartOptions& ChartCommandRunner::options() const
{
    return m_zoom.options();
}

void ChartCommandRunner::setXAxis(XAxis axis)
{
    m_cursor.forget();
    m_zoom.setXAxis(axis);
}

bool ChartCommandRunner::knowsEpochs() const
{
    return std::ranges::any_of(m_plot.content.curves(), [](const Curve& curve) {
        return curve.series && curve.series->stepsPerEpoch() > 0;
    });
}

void ChartCommandRunner::setSmoothing(SmoothingKind kind)
{
    ChartOptions changed = m_zoom.options();
    changed.smoothing.kind = kind;
    m_zoom.change(changed);
}

bool ChartCommandRunner::changeOptions(ChartCommand command)
{
    ChartOptions changed = m_zoom.options();
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
    m_zoom.change(changed);
    return true;
}

bool ChartCommandRunner::changeRange(ChartCommand command)
{
    const double middle =
        m_cursor.x() ? m_plot.axes.toPixel(*m_cursor.x()) : m_plot.axes.plot().center().x();
    switch (command) {
    case ChartCommand::NextXAxis: {
        int next = (int(m_zoom.options().xAxis) + 1) % 4;
        next += next == int(XAxis::Epoch) && !knowsEpochs() ? 1 : 0;
        setXAxis(XAxis(next));
        return true;
    }
    case ChartCommand::ZoomIn:
        m_zoom.zoomX(kKeyZoom, middle);
        return true;
    case ChartCommand::ZoomOut:
        m_zoom.zoomX(1 / kKeyZoom, middle);
        return true;
    case ChartCommand::ResetZoom:
        m_zoom.reset();
        return true;
    case ChartCommand::UndoZoom:
        m_zoom.undo();
        return true;
    case ChartCommand::Follow:
        m_zoom.setX(m_zoom.options().xLimits ? std::nullopt
                                             : std::optional(m_plot.axes.x().limits()),
                    ChartZoom::Step::Own);
        return true;
    default:
        return false;
    }
}

bool ChartCommandRunner::moveAlong(ChartCommand command)
{
    switch (command) {
    case ChartCommand::PreviousPoint:
        m_cursor.walk(-1);
        return true;
    case ChartCommand::NextPoint:
        m_cursor.walk(1);
        return true;
    case ChartCommand::PreviousRun:
        m_cursor.chooseCurve(-1);
        return true;
    case ChartCommand::NextRun:
        m_cursor.chooseCurve(1);
        return true;
    case ChartCommand::PinReadout:
        m_cursor.pin();
        return true;
    default:
        return false;
    }
}

void ChartCommandRunner::handOut(ChartCommand command)
{
    switch (command) {
    case ChartCommand::CopyValues:
        if (const QString text = readoutText(m_cursor.rows()); !text.isEmpty()) {
            QGuiApplication::clipboard()->setText(text);
        }
        break;
    case ChartCommand::CopyImage:
        QGuiApplication::clipboard()->setImage(m_output.image());
        break;
    case ChartCommand::SaveAs:
        m_output.askFile();
        break;
    case ChartCommand::DataTable:
        m_output.showTable();
        break;
    default:
        break;
    }
}

void ChartCommandRunner::askLimits(QWidget* window)
{
    auto* dialog = new LimitsDialog(m_zoom.options(), m_plot.axes.x().limits(),
                                    m_plot.axes.y().limits(), window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    QObject::connect(dialog, &QDialog::accepted, &m_zoom, [&zoom = m_zoom, dialog] {
        const ChartOptions changed = dialog->options();
        if (changed.xLimits != zoom.options().xLimits ||
            changed.yLimits != zoom.options().yLimits) {
            zoom.setX(changed.xLimits, ChartZoom::Step::Own);
            zoom.setY(changed.yLimits, ChartZoom::Step::JoinsRecent);
        }
    });
    dialog->open();
}

} // namespace cannery::ui
