// SPDX-License-Identifier: GPL-3.0-only
// How MainWindow connects its parts with each other and with the session.

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/document/problem_cures.h"
#include "ui/document/table_files.h"
#include "ui/editing/remark_list.h"
#include "ui/frame/arrival.h"
#include "ui/frame/dialogs/frame_dialogs.h"
#include "ui/frame/dialogs/help_dialog.h"
#include "ui/frame/drawer/drawer.h"
#include "ui/frame/drawer/issues_model.h"
#include "ui/frame/drawer/jobs_model.h"
#include "ui/frame/drawer/log_model.h"
#include "ui/frame/inspector_panel.h"
#include "ui/frame/main_window.h"
#include "ui/frame/menu_row.h"
#include "ui/frame/nav_rail.h"
#include "ui/frame/notifier.h"
#include "ui/frame/palette/command_palette.h"
#include "ui/frame/rail_foot.h"
#include "ui/frame/run_control.h"
#include "ui/frame/status_line.h"
#include "ui/frame/view_state_saver.h"
#include "ui/models/device_facts.h"
#include "ui/models/formats.h"
#include "ui/pages/page.h"
#include "ui/pages/page_problems.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/lasting_jobs.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/projects/settings.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/behaviour/reading_order.h"
#include "ui/widgets/behaviour/update_throttle.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/table_view.h"
#include "ui/widgets/toaster.h"

#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QStackedWidget>
#include <QThread>
#include <QUndoStack>

#include <unistd.h>

#include <algorithm>

namespace cannery::ui {
namespace {

qint64 machineMemory()
{
    return static_cast<qint64>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

/// Selected cells as tab-separated text, row by row.
QString selectedText(const QAbstractItemView& view)
{
    QModelIndexList cells = view.selectionModel()->selectedIndexes();
    std::sort(cells.begin(), cells.end(), [](const QModelIndex& a, const QModelIndex& b) {
        return a.row() != b.row() ? a.row() < b.row() : a.column() < b.column();
    });
    QString text;
    int row = -1;
    for (const QModelIndex& cell : cells) {
        if (row >= 0) {
            text += cell.row() == row ? '\t' : '\n';
        }
        row = cell.row();
        text += cell.data().toString();
    }
    return text;
}

/// The focused widget copies in its own way.
void copyFromFocus()
{
    QWidget* focus = QApplication::focusWidget();
    // Fields and labels have a slot copy(), which knows about their own selection.
    if (focus && focus->metaObject()->indexOfMethod("copy()") >= 0) {
        QMetaObject::invokeMethod(focus, "copy");
    } else if (const auto* view = qobject_cast<QAbstractItemView*>(focus)) {
        QGuiApplication::clipboard()->setText(selectedText(*view));
    }
}

/// Into the project, if it takes files.
void pasteTable(ProjectSession& session)
{
    const bool takesFiles = session.project().isOpen() &&
                            session.project().changeHindrance().isEmpty() &&
                            !session.project().isEventFolder();
    session.tables().paste(QGuiApplication::clipboard()->text(),
                           takesFiles ? session.project().folder() : QString());
}

} // namespace

void MainWindow::connectActions()
{
    const auto on = [this](const char* id, auto what) {
        connect(m_actions->find(id), &QAction::triggered, this, what);
    };
    on("action.open_project", [this] {
        chooseFile(tr("Open Project"), tr("Experiments (*.cannery);;All files (*)"), false);
    });
    on("action.open_data", [this] { chooseFile(tr("Open Data File"), tableFileFilters(), false); });
    on("action.open_events", [this] { chooseFile(tr("Open Folder of Event Files"), {}, true); });
    on("action.open_text_editor", [this] { m_session->showOutside(m_session->document().file()); });
    on("action.show_in_folder", [this] { m_session->showOutside(m_session->project().folder()); });
    on("action.settings", [this] { openSettings({}); });
    on("action.shortcuts", [this] { openSettings("shortcuts"); });
    on("action.close_project", [this] {
        m_views->save();
        m_session->project().close();
        showPage("home");
    });
    on("action.quit", [this] { close(); });
    on("action.undo", [this] { stepHistory(-1); });
    on("action.redo", [this] { stepHistory(1); });
    on("action.copy", [] { copyFromFocus(); });
    on("action.paste", [this] { pasteTable(*m_session); });
    const auto find = [this] {
        if (QWidget* field = currentPage() ? currentPage()->findField() : nullptr) {
            field->setFocus(Qt::ShortcutFocusReason);
        }
    };
    on("action.find", find);
    on("action.filter", find);
    on("action.focus_mode", [this](bool checked) { setFocusMode(checked); });
    on("action.palette", [this] { m_palette->isOpen() ? m_palette->close() : openPalette(); });
    on("action.show_command",
       [this] { showCommand(currentPage() ? currentPage()->command() : CommandLine(), this); });
    on("action.help", [this] { showHelp(); });
    on("action.about", [this] { showAbout(m_session->engines().program(), this); });
    on("action.next_area", [this] { cycleFocus(1); });
    on("action.previous_area", [this] { cycleFocus(-1); });
    on("action.minimize", [this] { showMinimized(); });
    on("action.full_screen", [this](bool checked) { checked ? showFullScreen() : showNormal(); });
    on("action.queue_run", [this] {
        const CommandLine add{{"queue", "add", m_session->document().file()},
                              m_session->project().folder(),
                              {"--json"}};
        m_session->jobs().run(tr("Adding to the queue"), add, [this](const auto& outcome) {
            if (!outcome.ok) {
                showFailure(outcome.sentence, outcome.error);
            }
            m_session->runs().refresh();
        });
    });
    if (m_actions->find("action.focus_mode")->shortcut() == QKeySequence(Qt::Key_F11)) {
        m_actions->find("action.focus_mode")
            ->setShortcuts({QKeySequence(Qt::Key_F11), QKeySequence("Ctrl+Shift+F")});
    }
    connect(m_palette, &CommandPalette::chosen, this, &MainWindow::navigate);
    connect(m_palette, &CommandPalette::whereWanted, this, &MainWindow::showWhere);
}

/// Undoes or redoes the last change anywhere in the window and names it, since it may be on a page
/// that is not shown.
void MainWindow::stepHistory(int by)
{
    ExperimentDocument& document = m_session->document();
    QUndoStack* history = document.undoStack();
    const QString what = by < 0 ? history->undoText() : history->redoText();
    if (what.isEmpty()) {
        return;
    }
    const quint64 revision = document.revision();
    by < 0 ? history->undo() : history->redo();
    QString words = by < 0 ? tr("Undone: %1").arg(what) : tr("Redone: %1").arg(what);
    if (document.revision() != revision) {
        words = tr("%1, in %2").arg(words, QFileInfo(document.file()).fileName());
    }
    m_toaster->show(words, by < 0 ? tr("Redo") : tr("Undo"), [this, by] { stepHistory(-by); });
}

void MainWindow::connectPanels()
{
    connect(m_actions->find("action.inspector"), &QAction::triggered, this, [this](bool checked) {
        m_inspectorWanted = checked;
        refreshInspector();
    });
    const auto closeInspector = [this] {
        m_inspectorWanted = false;
        refreshInspector();
    };
    connect(m_inspector, &InspectorPanel::closeRequested, this, closeInspector);
    const char* const parts[] = {"action.issues", "action.log", "action.jobs"};
    for (int i = 0; i < 3; ++i) {
        connect(m_actions->find(parts[i]), &QAction::triggered, this,
                [this, i](bool checked) { setDrawer(i, checked); });
    }
    connect(m_drawer, &Drawer::closeRequested, this, [this] { setDrawer(0, false); });
    connect(m_drawer, &Drawer::editProblem, this, &MainWindow::editProblem);
    connect(m_drawer, &Drawer::fixProblem, this,
            [this](const ProblemRow& problem) { applyCure(m_session->document(), problem); });
    connect(m_drawer, &Drawer::showProblem, this, [this](const ProblemRow& problem) {
        if (Page* place = page(problem.page)) {
            showPage(problem.page);
            revealProblem(problem, *place);
        } else {
            editProblem(problem);
        }
    });
    connect(m_status, &StatusLine::linkActivated, this, &MainWindow::navigate);
    connect(m_status, &StatusLine::runActivated, this, [this] { showPage("train"); });
    const auto showJobs = [this] {
        m_drawer->jobs().setJobs(m_runs->sweeps().jobs() + m_session->jobs().jobs());
        m_status->setJobs(m_drawer->jobs().runningCount());
    };
    m_drawer->setLasting(m_runs->sweeps());
    connect(&m_session->jobs(), &JobRunner::changed, this, showJobs);
    connect(&m_runs->sweeps(), &LastingJobs::changed, this, showJobs);
}

void MainWindow::connectSession()
{
    connect(&m_session->project(), &OpenProject::changed, this, [this] {
        m_failure->hide();
        m_drawer->log().clear();
        m_views->projectChanged();
        refreshProject();
    });
    connect(&m_session->project(), &OpenProject::opened, this, [this](Opening why) {
        m_arriving = why;
        arrive();
    });
    connect(&m_session->runs(), &RunCatalog::snapshotChanged, this, &MainWindow::arrive);
    connect(&m_session->project(), &OpenProject::openedElsewhere, this,
            [this](const QString& path) {
                m_failure->setActions({m_copyFailure});
                m_failure->setMessage(
                    Strip::Level::Info, tr("Open in another window."),
                    tr("%1 is open in the window that is now in front.").arg(formatPath(path)));
            });
    connect(&m_session->tables(), &TableImport::troubleChanged, this, [this] {
        if (!m_session->tables().trouble().isEmpty()) {
            showPage("data");
        }
    });
    connect(&m_session->recovery(), &WindowRecovery::nothingRestored, this,
            [this] { showPage("home"); });
    connect(&m_session->starter(), &RunStarter::readinessChanged, this,
            &MainWindow::refreshProject);
    connect(&m_session->engines(), &EngineService::started, this, [this](const QString& run) {
        m_failure->hide();
        showPage("train");
        if (Page* train = page("train")) {
            train->reveal("run:" + run);
        }
    });
    connect(&m_session->project(), &OpenProject::raiseRequested, this, [this] {
        setWindowState(windowState() & ~Qt::WindowMinimized);
        show();
        raise();
        activateWindow();
    });
    connect(m_runs, &RunControl::runChanged, m_runWords, &UpdateThrottle::changed);
    connect(m_runs, &RunControl::checked, this,
            [this] { setDrawer(static_cast<int>(Drawer::Part::Issues), true); });
}

void MainWindow::connectDocument()
{
    ExperimentDocument& document = m_session->document();
    for (const auto changed :
         {&ExperimentDocument::changed, &ExperimentDocument::saved, &ExperimentDocument::reloaded,
          &ExperimentDocument::standingChanged}) {
        connect(&document, changed, this, &MainWindow::refreshProject);
    }
    connect(&document, &ExperimentDocument::problemsChanged, this, &MainWindow::refreshIssues);
    connect(&RemarkList::of(*m_session), &RemarkList::changed, this, &MainWindow::refreshIssues);
    connect(document.undoStack(), &QUndoStack::indexChanged, this, &MainWindow::refreshProject);
}

void MainWindow::connectEngines()
{
    EngineService& engines = m_session->engines();
    connect(&engines, &EngineService::logged, this,
            [this](const QString&, const QList<LogEntry>& entries) {
                m_drawer->log().append(entries);
            });
    connect(&engines, &EngineService::ended, this, &MainWindow::notifyOfEnd);
}

/// Notifies a user who is looking elsewhere.
void MainWindow::notifyOfEnd(const QString& run)
{
    if (isActiveWindow() || !m_session->settings().notifies()) {
        return;
    }
    const RunRow* row = m_session->runs().snapshot()->find(run);
    m_notifier->send(m_session->project().name(),
                     row && !isLive(row->state)
                         ? tr("%1: %2").arg(row->displayName(), displayName(row->state))
                         : tr("%1 has ended").arg(run));
}

/// Shows the best page for the project that was just opened, once its runs are known.
void MainWindow::arrive()
{
    // Which page is best depends on the runs, which are read after the project is opened.
    if (!m_arriving || !m_session->runs().isLoaded()) {
        return;
    }
    const QString place = placeAfter(*m_arriving, m_session->project().isEventFolder(),
                                     *m_session->runs().snapshot());
    m_arriving.reset();
    if (!place.isEmpty()) {
        showPage(place);
    }
}

void MainWindow::connectErrors()
{
    m_copyFailure = new QAction(tr("Copy Details"), this);
    m_copyFailure->setObjectName("action.copy_failure");
    m_copyFailure->setProperty("iconName", "copy");
    connect(m_copyFailure, &QAction::triggered, this, [this] {
        QGuiApplication::clipboard()->setText(m_failure->text() + '\n' + m_failureDetails);
    });
    m_setBatchSize = new QAction(this);
    m_setBatchSize->setObjectName("action.set_batch_size");
    connect(m_setBatchSize, &QAction::triggered, this, [this] {
        if (m_session->document().setValue(QStringLiteral("train_spec.input.batch_size"),
                                           m_setBatchSize->data().toString())) {
            m_failure->hide();
        }
    });
    connect(m_failure, &Strip::linkActivated, this, &MainWindow::navigate);
    connect(m_session, &ProjectSession::failed, this, &MainWindow::showFailure);
    connect(&m_session->engines(), &EngineService::failed, this, &MainWindow::showFailure);
    connect(&m_session->document(), &ExperimentDocument::failed, this,
            [this](const QString& sentence) { showFailure(sentence); });
    connect(&m_session->runs(), &RunCatalog::failed, this,
            [this](const QString& sentence) { showFailure(sentence); });
}

void MainWindow::showFailure(const QString& sentence, const QString& details)
{
    m_failureDetails = details;
    const std::optional<qint64> batch = proposedBatchSize(sentence);
    m_setBatchSize->setData(QString::number(batch.value_or(0)));
    m_setBatchSize->setText(tr("Set Batch Size to %1").arg(formatCount(batch.value_or(0))));
    m_failure->setActions(batch ? QList<QAction*>{m_setBatchSize, m_copyFailure}
                                : QList<QAction*>{m_copyFailure});
    m_failure->setMessage(Strip::Level::Error, {}, sentence);
}

void MainWindow::refreshProject()
{
    const bool open = m_session->project().isOpen();
    const bool hasDocument = open && !m_session->project().isEventFolder();
    const ExperimentDocument& document = m_session->document();
    const QString readOnly = m_session->project().changeHindrance();
    m_menuRow->setProject(open ? m_session->project().name() : QString());
    const QString problem = document.storage().problem();
    m_menuRow->setSaveState(!hasDocument         ? (open ? tr("Read-only") : QString())
                            : !problem.isEmpty() ? problem
                            : m_session->project().isReadOnly()                  ? tr("Read-only")
                            : document.storage().standing() != Standing::Settled ? tr("Not saved")
                            : document.storage().isSaving()                      ? tr("Saving…")
                                                                                 : tr("Saved"),
                            !problem.isEmpty(), readOnly);
    setWindowTitle(open ? tr("%1 – Cannery").arg(m_session->project().name()) : tr("Cannery"));
    const QString none = hasDocument ? QString() : tr("No experiment is open.");
    m_actions->setHindrance("action.open_text_editor", none);
    const QString cluster =
        m_session->cluster().isLaunchedHere()
            ? tr("The queue trains in one process: Train starts the tasks of a cluster.")
            : QString();
    m_actions->setHindrance("action.queue_run", !none.isEmpty()       ? none
                                                : !readOnly.isEmpty() ? readOnly
                                                                      : cluster);
    for (const char* id : {"action.close_project", "action.show_in_folder"}) {
        m_actions->setHindrance(id, open ? QString() : tr("No project is open."));
    }
    refreshHistory();
    refreshRun();
}

/// The menu names the step.
void MainWindow::refreshHistory()
{
    const QString readOnly = m_session->project().changeHindrance();
    const QUndoStack* undo = m_session->document().undoStack();
    const auto name = [this](const char* id, const QString& plain, const QString& named,
                             QString step) {
        const QString words = step.isEmpty() ? plain : named.arg(step.replace('&', "&&"));
        if (QAction* action = m_actions->find(id); action->text() != words) {
            action->setText(words);
        }
    };
    name("action.undo", tr("&Undo"), tr("&Undo %1"), undo->undoText());
    name("action.redo", tr("&Redo"), tr("&Redo %1"), undo->redoText());
    m_actions->setHindrance("action.undo", !readOnly.isEmpty() ? readOnly
                                           : undo->canUndo()   ? QString()
                                                               : tr("Nothing to undo."));
    m_actions->setHindrance("action.redo", !readOnly.isEmpty() ? readOnly
                                           : undo->canRedo()   ? QString()
                                                               : tr("Nothing to redo."));
}

void MainWindow::refreshIssues()
{
    m_drawer->issues().setProblems(m_session->document().problems().all() +
                                   RemarkList::of(*m_session).issues());
    m_status->setIssues(m_drawer->issues().rowCount(), m_drawer->issues().worst());
}

void MainWindow::refreshRun()
{
    const QString run = m_runs->run();
    m_rail->foot().setRunning(!run.isEmpty());
    const RunRow* row = m_session->runs().snapshot()->find(run);
    m_status->setRun(row ? row->displayName() : run,
                     run.isEmpty() ? QString() : m_runs->progressLine(run));
    m_status->setHindrance(m_session->project().isOpen() ? m_session->starter().hindrance()
                                                         : QString());
    const auto status = m_session->engines().status(run);
    const int threads =
        status && status->threads > 0 ? status->threads : QThread::idealThreadCount();
    const QString device = status && !status->device.isEmpty() ? status->device : tr("CPU");
    const QString count = threads == 1 ? tr("one thread") : tr("%1 threads").arg(threads);
    // "GPU:0, GPU:1" of "GPU:0, GPU:1 (NVIDIA H100 80GB HBM3)".
    m_rail->foot().setDevice(tr("%1 · %2").arg(device.section(" (", 0, 0)).arg(threads),
                             tr("Training uses %1 with %2.").arg(device, count));
    const QString memory = formatBytes(machineMemory());
    const QString used = status && status->memoryBytes > 0
                             ? tr("%1 of %2").arg(formatBytes(status->memoryBytes), memory)
                             : memory;
    m_status->setMachine(tr("%1, %2 · %3").arg(device, count, used),
                         tr("The engine's device, threads and memory."));
}

void MainWindow::cycleFocus(int step)
{
    QWidget* const areas[] = {m_rail, m_pages, m_inspector, m_drawer, m_status, m_menuRow};
    constexpr int kCount = 6;
    int current = -1;
    for (int i = 0; i < kCount; ++i) {
        if (areas[i]->isAncestorOf(QApplication::focusWidget())) {
            current = i;
        }
    }
    // Areas without a stop are passed over, the present one comes last.
    for (int tried = 1; tried <= kCount; ++tried) {
        const int next = ((current + step * tried) % kCount + kCount) % kCount;
        const QList<QWidget*> stops =
            areas[next]->isVisible() ? stopsInReadingOrder(*areas[next]) : QList<QWidget*>();
        if (!stops.isEmpty()) {
            stops.first()->setFocus(Qt::TabFocusReason);
            return;
        }
    }
}

bool MainWindow::focusNextPrevChild(bool next)
{
    return focusNextInReadingOrder(*this, next) || QMainWindow::focusNextPrevChild(next);
}

void MainWindow::showHelp()
{
    const QString page = currentPage() ? currentPage()->id() : QString();
    (new HelpDialog(helpTopicOf(QApplication::focusWidget(), page), this))->open();
}

void MainWindow::chooseFile(const QString& title, const QString& filter, bool folder)
{
    auto* chooser = new QFileDialog(this, title, m_session->settings().projectsFolder(), filter);
    chooser->setObjectName("dialog.file");
    chooser->setAttribute(Qt::WA_DeleteOnClose);
    chooser->setFileMode(folder ? QFileDialog::Directory : QFileDialog::ExistingFile);
    connect(chooser, &QFileDialog::fileSelected, this, [this, folder](const QString& path) {
        if (folder) {
            m_session->project().openEventFolder(path);
        } else {
            openPath(path);
        }
    });
    chooser->open();
}

void MainWindow::editProblem(const ProblemRow& problem)
{
    m_session->showOutside(problem.file);
}

} // namespace cannery::ui
