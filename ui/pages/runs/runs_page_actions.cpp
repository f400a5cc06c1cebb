// SPDX-License-Identifier: GPL-3.0-only
// Actions on the runs of the page: action rows, menu, Trash, files.

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/pages/continue_dialog.h"
#include "ui/pages/page_parts.h"
#include "ui/pages/runs/no_charts.h"
#include "ui/pages/runs/parameter_panel.h"
#include "ui/pages/runs/run_inspect.h"
#include "ui/pages/runs/run_page.h"
#include "ui/pages/runs/runs_charts.h"
#include "ui/pages/runs/runs_list.h"
#include "ui/pages/runs/runs_page.h"
#include "ui/pages/runs/runs_table.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/services/runs/scalars_export.h"
#include "ui/widgets/button.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/search_field.h"
#include "ui/widgets/segmented.h"
#include "ui/widgets/toaster.h"

#include <QAction>
#include <QCoreApplication>
#include <QFileDialog>
#include <QMenu>
#include <QPointer>
#include <QSaveFile>
#include <QStackedWidget>
#include <QThreadPool>
#include <QUndoStack>

#include <array>

namespace cannery::ui {
namespace {

struct ChartAction
{
    const char* id;
    ChartCommand command;
};

constexpr std::array kChartActions{
    ChartAction{"action.log_x", ChartCommand::LogX},
    ChartAction{"action.log_y", ChartCommand::LogY},
    ChartAction{"action.outliers", ChartCommand::Outliers},
    ChartAction{"action.next_x_axis", ChartCommand::NextXAxis},
    ChartAction{"action.more_smoothing", ChartCommand::MoreSmoothing},
    ChartAction{"action.less_smoothing", ChartCommand::LessSmoothing},
    ChartAction{"action.reset_zoom", ChartCommand::ResetZoom},
    ChartAction{"action.follow", ChartCommand::Follow},
    ChartAction{"action.export_chart", ChartCommand::SaveAs},
    ChartAction{"action.copy_chart", ChartCommand::CopyImage}};

} // namespace

/// The window's actions apply to the selected runs while this page is shown.
void RunsPage::connectActions()
{
    const auto on = [this](const char* id, auto function) {
        connect(action(id), &QAction::triggered, this, [this, function] {
            // The actions are the window's, and other pages use them as well.
            if (isVisible()) {
                function();
            }
        });
    };
    connect(&session().runs(), &RunCatalog::trashed, this, &RunsPage::showTrashed);
    on("action.trash", [this] {
        if (!m_list->showsTrash()) {
            trash(chosenRuns());
        }
    });
    on("action.rename", [this] {
        if (m_stack->currentWidget() == m_main) {
            m_list->table().editCurrentName();
        }
    });
    on("action.star", [this] {
        const QStringList runs = chosenRuns();
        const RunRow* first =
            runs.isEmpty() ? nullptr : session().runs().snapshot()->find(runs.front());
        // The first run decides for all, so that they end up alike.
        const bool star = first && !first->starred;
        for (const QString& run : runs) {
            session().runs().setStar(run, star);
        }
    });
    on("action.show_hide", [this] {
        const QStringList runs = chosenRuns();
        if (!runs.isEmpty()) {
            m_list->model().setShown(runs, !m_list->model().isShown(runs.front()));
        }
    });
    on("action.resume_run", [this] {
        if (const RunRow* run = session().runs().snapshot()->find(currentRun())) {
            resumeOrTrainLonger(session(), *run, this);
        }
    });
    on("action.duplicate", [this] { session().experiments().duplicateRun(currentRun()); });
    on("action.export_scalars", [this] { exportScalars(); });
    on("action.filter", [this] { findField()->setFocus(Qt::ShortcutFocusReason); });
    for (const char* id : {"action.star", "action.show_hide"}) {
        m_list->table().addAction(action(id));
    }
}

void RunsPage::connectChartActions()
{
    for (const ChartAction& row : kChartActions) {
        connect(action(row.id), &QAction::triggered, this, [this, row] {
            if (isVisible() && m_stack->currentWidget() == m_main) {
                m_charts->perform(row.command);
                updateActions();
            }
        });
    }
}

/// The tabs are the action's two states.
void RunsPage::connectViews()
{
    QAction* compare = action("action.compare_parameters");
    connect(compare, &QAction::toggled, this, [this](bool comparing) {
        m_views->setCurrentIndex(comparing ? 1 : 0);
        m_charts->setComparing(comparing);
        saveSoon();
    });
    connect(compare, &QAction::triggered, this, [this] {
        leaveRun();
        if (!isVisible()) {
            Q_EMIT navigate(id());
        }
    });
    connect(m_views, &Segmented::currentChanged, compare,
            [compare](int view) { compare->setChecked(view == 1); });
    connect(&m_charts->parameters(), &ParameterPanel::runsChosen, &m_list->table(),
            &RunsTable::selectRuns);
    connect(&m_charts->nothing(), &NoCharts::inspectRequested, this,
            [this](const QString& run, RunInspect::View view) {
                openRun(run);
                m_runPage->setView(RunPage::Inspect);
                m_runPage->inspect().setView(view);
            });
}

void RunsPage::updateActions()
{
    if (!isVisible()) {
        return;
    }
    ActionRegistry& actions = *context().actions;
    const QStringList runs = chosenRuns();
    const ProjectSnapshotPtr snapshot = session().runs().snapshot();
    const RunRow* run = runs.isEmpty() ? nullptr : snapshot->find(runs.front());
    const QString none = run ? QString() : tr("Select a run first.");
    const QString fixed = run ? snapshot->changeHindrance(run) : none;
    actions.setHindrance("action.trash",
                         fixed.isEmpty() && isLive(run->state)
                             ? tr("A run that is being trained cannot be moved to the Trash; stop "
                                  "it first.")
                             : fixed);
    actions.setHindrance("action.resume_run", resumeHindrance(*snapshot, run));
    actions.setHindrance("action.rename", fixed);
    actions.setHindrance("action.star", fixed);
    actions.setHindrance("action.show_hide", none);
    actions.setHindrance("action.duplicate", fixed);
    actions.setHindrance("action.export_scalars",
                         m_watched.isEmpty() ? tr("Show a run in the charts first.") : QString());
    for (const ChartAction& row : kChartActions) {
        QAction* chartAction = action(row.id);
        actions.setHindrance(row.id, m_charts->activeCard() ? QString() : tr("No chart is shown."));
        if (chartAction->isCheckable()) {
            chartAction->setChecked(m_charts->isChecked(row.command));
        }
    }
}

QStringList RunsPage::chosenRuns() const
{
    if (m_stack->currentWidget() == m_runPage) {
        return {m_runPage->run()};
    }
    const QStringList selected = m_list->table().selectedRuns();
    if (!selected.isEmpty()) {
        return selected;
    }
    const QString current = m_list->table().currentRun();
    return current.isEmpty() ? QStringList() : QStringList{current};
}

void RunsPage::trash(const QStringList& runs)
{
    session().runs().moveToTrash(runs); // refuses training runs with a reason; trashed() follows
}

void RunsPage::showTrashed(const QStringList& runs)
{
    const RunRow* first = session().runs().snapshot()->find(runs.front());
    if (!first || !context().toaster) {
        return;
    }
    context().toaster->show(runs.size() == 1 ? tr("%1 moved to the Trash").arg(first->displayName())
                                             : tr("%1 runs moved to the Trash").arg(runs.size()),
                            tr("Undo"),
                            [this, runs, step = session().document().undoStack()->undoText()] {
                                QUndoStack* history = session().document().undoStack();
                                // If another change was made since, undo would take that back
                                // instead.
                                if (history->undoText() == step) {
                                    history->undo();
                                } else {
                                    session().runs().restore(runs);
                                }
                            });
}

void RunsPage::confirmEmptyTrash()
{
    auto* dialog = new Dialog(tr("Empty the Trash?"), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setObjectName("dialog.empty_trash");
    const int trashed = m_list->proxy().trashedCount();
    dialog->setSentence(
        trashed == 1 ? tr("One run, with its checkpoints and curves, will be deleted permanently.")
                     : tr("%1 runs, with checkpoints and curves, will be deleted permanently.")
                           .arg(trashed));
    dialog->addButton(Button::Kind::Danger, tr("Delete Permanently"), QDialog::Accepted);
    dialog->addButton(Button::Kind::Plain, tr("Keep"), QDialog::Rejected, true);
    connect(dialog, &QDialog::accepted, this, [this] {
        session().runs().emptyTrash();
        m_list->showTrash(false);
    });
    dialog->open();
}

void RunsPage::showMenu(const QPoint& where)
{
    const QStringList runs = chosenRuns();
    if (runs.isEmpty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName("menu.run");
    if (m_list->showsTrash()) {
        QAction* restore =
            menu->addAction(tr("Restore"), this, [this, runs] { session().runs().restore(runs); });
        setHindrance(restore, session().project().changeHindrance());
        menu->popup(where);
        return;
    }
    RunTableModel& model = m_list->model();
    menu->addAction(tr("Open"), this, [this, runs] { openRun(runs.front()); });
    menu->addAction(action("action.show_hide"));
    menu->addAction(tr("Show Only These"), this, [&model, runs] {
        QStringList others = model.shownRuns();
        for (const QString& run : runs) {
            others.removeAll(run);
        }
        model.setShown(others, false);
        model.setShown(runs, true);
    });
    const bool isBaseline = model.baseline() == runs.front();
    menu->addAction(isBaseline ? tr("No Baseline") : tr("Use as Baseline"), this,
                    [this, &model, runs, isBaseline] {
                        model.setBaseline(isBaseline ? QString() : runs.front());
                        saveSoon();
                    });
    menu->addSeparator();
    for (const char* id : {"action.star", "action.rename", "action.duplicate",
                           "action.export_savedmodel", "action.export_predictions"}) {
        menu->addAction(action(id));
    }
    menu->addSeparator();
    menu->addAction(action("action.trash"));
    menu->popup(where);
}

void RunsPage::exportScalars()
{
    QList<ExportedRun> runs;
    for (const RunRow& run : session().runs().snapshot()->runs) {
        if (m_watched.contains(run.name)) {
            runs.append({run.displayName(), run.folder});
        }
    }
    if (runs.isEmpty()) {
        return;
    }
    auto* dialog = new QFileDialog(this, tr("Export All Scalars"), session().project().folder(),
                                   tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("csv");
    dialog->selectFile(QStringLiteral("scalars.csv"));
    connect(dialog, &QFileDialog::fileSelected, this,
            [this, runs](const QString& file) { m_export->start(file, runs); });
    dialog->open();
}

void RunsPage::saveCsv(const QByteArray& csv)
{
    auto* dialog =
        new QFileDialog(this, tr("Save Values"), session().project().folder(), tr("CSV (*.csv)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("csv");
    dialog->selectFile(QStringLiteral("values.csv"));
    connect(dialog, &QFileDialog::fileSelected, this, [this, csv](const QString& path) {
        // On a worker: the file may be on a slow disk.
        QThreadPool::globalInstance()->start([page = QPointer(this), path, csv] {
            QSaveFile file(path);
            const bool isSaved =
                file.open(QSaveFile::WriteOnly) && file.write(csv) == csv.size() && file.commit();
            if (!isSaved) {
                QMetaObject::invokeMethod(qApp, [page, reason = file.errorString()] {
                    if (page != nullptr) {
                        Q_EMIT page->session().failed(tr("The values were not saved."), reason);
                    }
                });
            }
        });
    });
    dialog->open();
}

} // namespace cannery::ui
