// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_menu.h"

#include "ui/charts/curves/chart_command_runner.h"

#include <QActionGroup>
#include <QCoreApplication>
#include <QKeySequence>
#include <QMenu>

#include <array>

namespace cannery::ui {
namespace {

struct XAxisRow
{
    XAxis axis;
    const char* text;
};
constexpr std::array kXAxes{
    XAxisRow{XAxis::Step, QT_TRANSLATE_NOOP("ChartCard", "Step")},
    XAxisRow{XAxis::Epoch, QT_TRANSLATE_NOOP("ChartCard", "Epoch")},
    XAxisRow{XAxis::WallClock, QT_TRANSLATE_NOOP("ChartCard", "Wall Clock")},
    XAxisRow{XAxis::Relative, QT_TRANSLATE_NOOP("ChartCard", "Time Since Start")},
};

struct SmoothingRow
{
    SmoothingKind kind;
    const char* text;
};
constexpr std::array kSmoothings{
    SmoothingRow{SmoothingKind::Off, QT_TRANSLATE_NOOP("ChartCard", "Off")},
    SmoothingRow{SmoothingKind::Exponential, QT_TRANSLATE_NOOP("ChartCard", "Exponential Average")},
    SmoothingRow{SmoothingKind::WindowMean, QT_TRANSLATE_NOOP("ChartCard", "Window Mean")},
    SmoothingRow{SmoothingKind::WindowMedian, QT_TRANSLATE_NOOP("ChartCard", "Window Median")},
};

QString translated(const char* text)
{
    return QCoreApplication::translate("ChartCard", text);
}

/// The key after a tab, which a menu shows in its shortcut column without binding it.
QString withKey(const ChartCommandRow& row)
{
    const QString text = translated(row.text);
    return row.key == 0 ? text
                        : text + '\t' + QKeySequence(row.key).toString(QKeySequence::NativeText);
}

void fillAxisMenu(QMenu& menu, ChartCommandRunner& runner)
{
    QMenu* axes = menu.addMenu(translated(QT_TRANSLATE_NOOP("ChartCard", "x Axis")));
    axes->setObjectName(QStringLiteral("chart.menu.x_axis"));
    auto* group = new QActionGroup(axes);
    for (const XAxisRow& row : kXAxes) {
        QAction* action = axes->addAction(translated(row.text));
        action->setCheckable(true);
        action->setChecked(row.axis == runner.options().xAxis);
        action->setEnabled(row.axis != XAxis::Epoch || runner.knowsEpochs());
        group->addAction(action);
        QObject::connect(action, &QAction::triggered, &menu,
                         [&runner, axis = row.axis] { runner.setXAxis(axis); });
    }
}

void fillSmoothingMenu(QMenu& menu, ChartCommandRunner& runner)
{
    QMenu* kinds = menu.addMenu(translated(QT_TRANSLATE_NOOP("ChartCard", "Smoothing")));
    kinds->setObjectName(QStringLiteral("chart.menu.smoothing"));
    auto* group = new QActionGroup(kinds);
    for (const SmoothingRow& row : kSmoothings) {
        QAction* action = kinds->addAction(translated(row.text));
        action->setCheckable(true);
        action->setChecked(row.kind == runner.options().smoothing.kind);
        group->addAction(action);
        QObject::connect(action, &QAction::triggered, &menu,
                         [&runner, kind = row.kind] { runner.setSmoothing(kind); });
    }
}

} // namespace

void fillChartMenu(QMenu& menu, ChartCommandRunner& runner,
                   const std::function<void(ChartCommand)>& perform)
{
    fillAxisMenu(menu, runner);
    for (const ChartCommandRow& row : chartCommands()) {
        if (row.beginsGroup) {
            menu.addSeparator();
        }
        if (row.command == ChartCommand::MoreSmoothing) {
            fillSmoothingMenu(menu, runner);
        }
        QAction* action = menu.addAction(withKey(row));
        action->setObjectName(QStringLiteral("chart.command.%1").arg(int(row.command)));
        action->setCheckable(row.isSwitch);
        action->setChecked(row.isSwitch && runner.isChecked(row.command));
        action->setEnabled(runner.isEnabled(row.command));
        QObject::connect(action, &QAction::triggered, &menu,
                         [perform, command = row.command] { perform(command); });
    }
}

} // namespace cannery::ui
