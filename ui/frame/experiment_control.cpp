// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/experiment_control.h"

#include "ui/actions/action_registry.h"
#include "ui/document/experiment_document.h"
#include "ui/frame/dialogs/experiment_dialogs.h"
#include "ui/models/formats.h"
#include "ui/pages/page_parts.h"
#include "ui/services/job_runner.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"
#include "ui/widgets/strip.h"
#include "ui/widgets/toaster.h"

#include <QAction>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QUndoStack>
#include <QWidget>

namespace cannery::ui {
namespace {

constexpr const char* kOwnActions[] = {"action.new_from_this", "action.rename_experiment",
                                       "action.compare_experiments", "action.trash_experiment"};

} // namespace

ExperimentControl::ExperimentControl(ProjectSession& session, ActionRegistry& actions,
                                     Toaster& toaster, QWidget* window)
    : QObject(window), m_session(&session), m_actions(&actions), m_toaster(&toaster),
      m_window(window), m_strip(new Strip(window)), m_keepMine(new QAction(tr("Keep Mine"), this)),
      m_takeTheirs(new QAction(tr("Take Theirs"), this)),
      m_saveAgain(new QAction(tr("Save Again"), this)), m_review(new QAction(tr("Review…"), this)),
      m_discard(new QAction(tr("Discard Changes"), this)),
      m_saveAs(new QAction(tr("Save As…"), this)), m_giveUp(new QAction(tr("Discard"), this))
{
    m_strip->setObjectName("strip.file");
    m_strip->hide();
    m_keepMine->setObjectName("action.keep_mine");
    m_takeTheirs->setObjectName("action.take_theirs");
    m_saveAgain->setObjectName("action.save_again");
    m_review->setObjectName("action.review_changes");
    m_discard->setObjectName("action.discard_changes");
    m_saveAs->setObjectName("action.save_as");
    m_giveUp->setObjectName("action.discard_experiment");
    connectActions();
    ExperimentDocument& document = session.document();
    const auto changed = [this] { refresh(); };
    connect(&session.project(), &OpenProject::changed, this, changed);
    connect(&session.starter(), &RunStarter::readinessChanged, this, changed);
    connect(&session.experiments(), &ExperimentLibrary::trashed, this,
            &ExperimentControl::takeTrashed);
    connect(&session.experiments().folder(), &ExperimentFolder::changed, this, changed);
    connect(&session.runs(), &RunCatalog::snapshotChanged, this, changed);
    for (const auto signal :
         {&ExperimentDocument::changed, &ExperimentDocument::saved,
          &ExperimentDocument::standingChanged, &ExperimentDocument::recoveredChanged}) {
        connect(&document, signal, this, changed);
    }
    connect(m_strip, &Strip::linkActivated, this, &ExperimentControl::reviewConflict);
    refresh();
}

void ExperimentControl::connectActions()
{
    const auto on = [this](const char* id, auto what) {
        connect(m_actions->find(id), &QAction::triggered, this, what);
    };
    on("action.switch_experiment", [this] { showMenu(); });
    on("action.new_from_this", [this] { m_session->experiments().newFromThis(); });
    on("action.rename_experiment", [this] { askForName(*m_session, m_window); });
    on("action.compare_experiments", [this] { compareExperiments(*m_session, m_window); });
    on("action.trash_experiment", [this] { m_session->experiments().trash(); });
    on("action.export_program", [this] { chooseProgram(); });
    ExperimentDocument& document = m_session->document();
    connect(m_keepMine, &QAction::triggered, &document.storage(), &ExperimentStorage::keepMine);
    connect(m_takeTheirs, &QAction::triggered, &document.storage(), &ExperimentStorage::takeTheirs);
    connect(m_saveAgain, &QAction::triggered, &document.storage(), &ExperimentStorage::saveAgain);
    connect(m_review, &QAction::triggered, this, &ExperimentControl::reviewRecovered);
    connect(m_discard, &QAction::triggered, this, &ExperimentControl::discardRecovered);
    connect(m_saveAs, &QAction::triggered, this, &ExperimentControl::chooseFile);
    connect(m_giveUp, &QAction::triggered, this, &ExperimentControl::discardGone);
}

void ExperimentControl::refresh()
{
    const ExperimentDocument& document = m_session->document();
    const QString hindrance = m_session->experiments().hindrance();
    for (const char* id : kOwnActions) {
        m_actions->setHindrance(id, hindrance);
    }
    const bool isAlone = m_session->experiments().folder().entries().size() < 2;
    const QString none = document.isOpen() ? QString() : tr("No experiment is open.");
    m_actions->setHindrance("action.compare_experiments",
                            !none.isEmpty() ? none
                            : isAlone       ? tr("The project has no other experiment.")
                                            : QString());
    m_actions->setHindrance("action.export_program", none);
    const bool hasList =
        m_session->project().isOpen() && !m_session->project().isEventFolder() &&
        (document.isOpen() || !m_session->experiments().folder().entries().isEmpty());
    m_actions->setHindrance("action.switch_experiment",
                            hasList ? QString() : tr("No experiment is open."));
    refreshStrip();
    if (m_menu) {
        fillMenu();
    }
}

void ExperimentControl::refreshStrip()
{
    const ExperimentDocument& document = m_session->document();
    const QString file = QFileInfo(document.file()).fileName();
    const int changes = document.storage().recovered().changes;
    if (document.storage().standing() == Standing::BothChanged) {
        m_strip->setActions({m_keepMine, m_takeTheirs});
        m_strip->setMessageWithLinks(
            Strip::Level::Warning, tr("There are two versions."),
            tr("Another program changed %1 without the changes made here. <a "
               "href=\"compare\">Compare</a> and choose; Undo goes to the other one.")
                .arg(file.toHtmlEscaped()));
    } else if (document.storage().standing() == Standing::Gone) {
        m_strip->setActions({m_giveUp, m_saveAs, m_saveAgain});
        m_strip->setMessage(Strip::Level::Warning, tr("The file is gone."),
                            tr("Another program deleted or moved %1. Changes are not saved until "
                               "the file is created again, here or under another name.")
                                .arg(file));
    } else if (changes > 0) {
        m_strip->setActions({m_review, m_discard});
        m_strip->setMessage(
            Strip::Level::Info,
            counted(changes, tr("Recovered a change in %2."), tr("Recovered %1 changes in %2."))
                .replace("%2", m_session->project().name()),
            tr("The window had closed unexpectedly."));
    } else {
        m_strip->hide();
    }
}

/// The folder is read again, and the open menu follows.
void ExperimentControl::showMenu()
{
    m_session->experiments().folder().refresh();
    if (m_menu) {
        m_menu->close();
    }
    m_menu = new QMenu(m_window);
    m_menu->setObjectName("menu.experiments");
    m_menu->setToolTipsVisible(true);
    m_menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu();
    // From the palette or by its keys the menu also opens where its button is hidden.
    const QWidget* at = m_anchor && m_anchor->isVisible() ? m_anchor : m_window;
    m_menu->popup(at->mapToGlobal(at == m_window ? QPoint(0, 0) : QPoint(0, at->height())));
}

void ExperimentControl::fillMenu()
{
    m_menu->clear();
    const QString open = m_session->document().file();
    for (const ExperimentEntry& entry : m_session->experiments().folder().entries()) {
        // The open experiment may have another name by now than in its file.
        QString name = entry.file == open ? m_session->document().name() : entry.name;
        QAction* action = m_menu->addAction(name.replace('&', "&&"));
        action->setObjectName("experiment." + QFileInfo(entry.file).completeBaseName());
        action->setToolTip(QFileInfo(entry.file).fileName());
        action->setCheckable(true);
        action->setChecked(entry.file == open);
        connect(action, &QAction::triggered, this,
                [this, file = entry.file] { m_session->experiments().switchTo(file); });
    }
    m_menu->addSeparator();
    for (const char* id : kOwnActions) {
        m_menu->addAction(m_actions->find(id));
    }
}

void ExperimentControl::takeTrashed(const TrashedExperiment& experiment)
{
    m_toaster->show(tr("Moved %1 to the trash").arg(experiment.name), tr("Undo"),
                    [this, experiment] { m_session->experiments().restore(experiment); });
}

void ExperimentControl::reviewConflict()
{
    ExperimentDocument& document = m_session->document();
    askForVersion({.objectName = "dialog.conflict",
                   .title = tr("Two Versions of %1").arg(QFileInfo(document.file()).fileName()),
                   .sentence = tr("From the other program's version to the one shown here."),
                   .before = document.storage().theirText().toUtf8(),
                   .after = document.text().toUtf8(),
                   .keepBefore = tr("Take Theirs"),
                   .keepAfter = tr("Keep Mine"),
                   .onBefore = [&document] { document.storage().takeTheirs(); },
                   .onAfter = [&document] { document.storage().keepMine(); }},
                  m_window);
}

void ExperimentControl::reviewRecovered()
{
    ExperimentDocument& document = m_session->document();
    const RecoveredEdits& edits = document.storage().recovered();
    askForVersion({.objectName = "dialog.recovered",
                   .title = tr("Recovered Changes"),
                   .sentence = edits.unsaved ? tr("The last of them is not in the file yet.")
                                             : tr("All of them are in the file."),
                   .before = edits.before.toUtf8(),
                   .after = edits.after.toUtf8(),
                   .keepBefore = tr("Discard Changes"),
                   .keepAfter = tr("Keep Changes"),
                   .onBefore = [this] { discardRecovered(); },
                   .onAfter = [&document] { document.storage().keepRecovered(); }},
                  m_window);
}

/// In the project's folder, where the experiment's paths lead to its data.
void ExperimentControl::chooseFile()
{
    const QFileInfo file(m_session->document().file());
    auto* dialog = new QFileDialog(m_window, tr("Save Experiment As"), file.absolutePath(),
                                   tr("Experiments (*.cannery)"));
    dialog->setObjectName("dialog.save_as");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("cannery");
    dialog->selectFile(file.fileName());
    connect(dialog, &QFileDialog::fileSelected, &m_session->experiments(),
            &ExperimentLibrary::saveAs);
    dialog->open();
}

void ExperimentControl::chooseProgram()
{
    const QFileInfo file(m_session->document().file());
    auto* dialog = new QFileDialog(m_window, tr("Export Program"), file.absolutePath(),
                                   tr("Python programs (*.py)"));
    dialog->setObjectName("dialog.export_program");
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix("py");
    dialog->selectFile(file.completeBaseName() + ".py");
    connect(dialog, &QFileDialog::fileSelected, this, &ExperimentControl::exportProgram);
    dialog->open();
}

/// The drawer's list of jobs shows how it ends: which fields tf.estimator cannot express, if any.
void ExperimentControl::exportProgram(const QString& target)
{
    const QFileInfo file(m_session->document().file());
    // With --force, as the file dialog has asked whether to replace the file.
    m_session->jobs().run(
        tr("Exporting the program of %1").arg(m_session->project().name()),
        {.arguments = {"export", file.fileName(), "--as", "program", "--output", target, "--force"},
         .folder = file.absolutePath(),
         .machineArguments = {"--json"}},
        [](const JobRunner::Outcome&) {});
    if (QAction* jobs = m_actions->find("action.jobs"); !jobs->isChecked()) {
        jobs->trigger();
    }
}

void ExperimentControl::discardGone()
{
    const ExperimentDocument& document = m_session->document();
    // Copied before discard() closes the document.
    const QString name = document.name();
    const QString file = document.file();
    const QString text = document.text();
    m_session->experiments().discard();
    m_toaster->show(tr("Discarded %1").arg(name), tr("Undo"),
                    [this, file, text] { m_session->experiments().openWritten(file, text); });
}

void ExperimentControl::discardRecovered()
{
    ExperimentDocument& document = m_session->document();
    QUndoStack* history = document.undoStack();
    const int before = history->index();
    document.storage().discardRecovered();
    // Recovered changes without any difference leave no step to undo.
    if (history->index() != before) {
        m_toaster->show(tr("Discarded the recovered changes"), tr("Undo"),
                        [history] { history->undo(); });
    }
}

} // namespace cannery::ui
