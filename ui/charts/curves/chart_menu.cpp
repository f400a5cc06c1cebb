// SPDX-License-Identifier: GPL-3.0-only
#include "ui/charts/curves/chart_card_private.h"
#include "ui/charts/curves/chart_commands.h"
#include "ui/charts/curves/limits_dialog.h"
#include "ui/widgets/label.h"
#include "ui/widgets/style/icons.h"
#include "ui/widgets/style/theme.h"
#include "ui/widgets/table_view.h"

#include <QActionGroup>
#include <QFileDialog>
#include <QHeaderView>
#include <QKeySequence>
#include <QMenu>
#include <QVBoxLayout>

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

} // namespace

void ChartCard::Private::fillAxisMenu(QMenu& menu)
{
    QMenu* axes = menu.addMenu(ChartCard::tr("x Axis"));
    axes->setObjectName(QStringLiteral("chart.menu.x_axis"));
    auto* group = new QActionGroup(axes);
    for (const XAxisRow& row : kXAxes) {
        QAction* action = axes->addAction(translated(row.text));
        action->setCheckable(true);
        action->setChecked(row.axis == options.xAxis);
        action->setEnabled(row.axis != XAxis::Epoch || knowsEpochs());
        group->addAction(action);
        connect(action, &QAction::triggered, &card, [this, axis = row.axis] { setXAxis(axis); });
    }
}

void ChartCard::Private::fillSmoothingMenu(QMenu& menu)
{
    QMenu* kinds = menu.addMenu(ChartCard::tr("Smoothing"));
    kinds->setObjectName(QStringLiteral("chart.menu.smoothing"));
    auto* group = new QActionGroup(kinds);
    for (const SmoothingRow& row : kSmoothings) {
        QAction* action = kinds->addAction(translated(row.text));
        action->setCheckable(true);
        action->setChecked(row.kind == options.smoothing.kind);
        group->addAction(action);
        connect(action, &QAction::triggered, &card, [this, kind = row.kind] {
            ChartOptions changed = options;
            changed.smoothing.kind = kind;
            apply(changed);
        });
    }
}

void ChartCard::Private::fillMenu(QMenu& menu)
{
    fillAxisMenu(menu);
    for (const ChartCommandRow& row : chartCommands()) {
        if (row.beginsGroup) {
            menu.addSeparator();
        }
        if (row.command == ChartCommand::MoreSmoothing) {
            fillSmoothingMenu(menu);
        }
        QAction* action = menu.addAction(withKey(row));
        action->setObjectName(QStringLiteral("chart.command.%1").arg(int(row.command)));
        action->setCheckable(row.isSwitch);
        action->setChecked(row.isSwitch && card.isChecked(row.command));
        connect(action, &QAction::triggered, &card,
                [this, command = row.command] { card.perform(command); });
        switch (row.command) {
        case ChartCommand::UndoZoom:
            action->setEnabled(!zooms.empty());
            break;
        case ChartCommand::ResetZoom:
            action->setEnabled(options.xLimits || options.yLimits);
            break;
        case ChartCommand::CopyValues:
        case ChartCommand::PinReadout:
            action->setEnabled(cursor.has_value());
            break;
        default:
            break;
        }
    }
}

void ChartCard::Private::showMenu(const QPoint& globalPosition)
{
    auto* menu = new QMenu(&card);
    menu->setObjectName(QStringLiteral("chart.menu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    Q_EMIT card.menuAboutToShow(menu);
    menu->popup(globalPosition);
}

void ChartCard::Private::askLimits()
{
    auto* dialog = new LimitsDialog(options, plot.x().limits(), plot.y().limits(), card.window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, &card, [this, dialog] {
        const ChartOptions changed = dialog->options();
        if (changed.xLimits != options.xLimits || changed.yLimits != options.yLimits) {
            setXLimits(changed.xLimits, false);
            setYLimits(changed.yLimits, true);
        }
    });
    dialog->open();
}

void ChartCard::Private::askFile()
{
    QString name = tag.isEmpty() ? title : tag;
    name.replace('/', '_');
    auto* dialog = new QFileDialog(card.window(), ChartCard::tr("Save chart"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setNameFilters({ChartCard::tr("Picture (*.png)"), ChartCard::tr("Drawing (*.svg)"),
                            ChartCard::tr("Document (*.pdf)"),
                            ChartCard::tr("All values (*.csv)")});
    dialog->setDefaultSuffix(QStringLiteral("png"));
    connect(dialog, &QFileDialog::filterSelected, dialog, [dialog](const QString& filter) {
        dialog->setDefaultSuffix(filter.section(QLatin1String("*."), 1).chopped(1));
    });
    dialog->selectFile(name);
    connect(dialog, &QFileDialog::fileSelected, &card,
            [this](const QString& file) { card.exportInBackground(file); });
    dialog->open();
}

void ChartCard::Private::showTable()
{
    auto* dialog = new Dialog(title.isEmpty() ? tag : title, card.window());
    dialog->setObjectName(QStringLiteral("dialog.chart_values"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setContentWidth(640);
    auto* model = new ChartTableModel(plot, dialog);
    dialog->setSentence(model->isOfLongestOnly()
                            ? ChartCard::tr("All points of the longest curve in the visible range, "
                                            "and the values of the others at its steps.")
                            : ChartCard::tr("All points of the visible range."));
    auto* view = new TableView(TableView::Rows::Data, dialog);
    view->setObjectName(QStringLiteral("table.chart_values"));
    view->setAccessibleName(ChartCard::tr("Values of %1").arg(title));
    view->setModel(model);
    view->setMinimumHeight(scaled(320));
    view->horizontalHeader()->setDefaultSectionSize(scaled(110));
    dialog->body()->addWidget(view);
    dialog->addButton(Button::Kind::Plain, ChartCard::tr("Close"), QDialog::Accepted, true);
    // The table keeps a reference to the card's plot.
    connect(&card, &QObject::destroyed, dialog, &QDialog::reject);
    dialog->open();
}

} // namespace cannery::ui
