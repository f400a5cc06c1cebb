// SPDX-License-Identifier: GPL-3.0-only
#include "ui/frame/run_control.h"

#include "ui/actions/action_registry.h"
#include "ui/document/checked_problems.h"
#include "ui/document/experiment_document.h"
#include "ui/models/formats.h"
#include "ui/models/markup.h"
#include "ui/services/engine_service.h"
#include "ui/services/job_runner.h"
#include "ui/services/lasting_jobs.h"
#include "ui/services/projects/project_session.h"
#include "ui/services/runs/run_catalog.h"

#include <QAction>
#include <QJsonObject>
#include <QTimer>

#include <algorithm>
#include <chrono>

namespace cannery::ui {
namespace {

constexpr std::chrono::milliseconds kUntilSettled{100};

} // namespace

RunControl::RunControl(ProjectSession& session, ActionRegistry& actions, QObject* parent)
    : QObject(parent), m_session(&session), m_actions(&actions), m_sweeps(new LastingJobs({}, this))
{
    connectActions();
    connect(m_sweeps, &LastingJobs::changed, this, &RunControl::refresh);
    connect(m_sweeps, &LastingJobs::failed, &session,
            [&session](const QString& sentence) { Q_EMIT session.failed(sentence, {}); });
    const auto find = [this] { m_sweeps->find(m_session->project().folder()); };
    connect(&session.project(), &OpenProject::changed, m_sweeps, find);
    // A sweep that was started in a terminal shows by its runs.
    connect(&session.runs(), &RunCatalog::snapshotChanged, m_sweeps, find);
    EngineService& engines = session.engines();
    const auto changed = [this] {
        refresh();
        Q_EMIT runChanged();
    };
    connect(&engines, &EngineService::statusChanged, this, changed);
    connect(&engines, &EngineService::liveRunsChanged, this, changed);
    connect(&engines, &EngineService::startingChanged, this, changed);
    connect(&session.starter(), &RunStarter::readinessChanged, this, changed);
    connect(&session.project(), &OpenProject::changed, this, changed);
    connect(&session.document(), &ExperimentDocument::changed, this, &RunControl::refresh);
    refresh();
}

void RunControl::setPageRun(std::function<QString()> pageRun)
{
    m_pageRun = std::move(pageRun);
}

QString RunControl::run() const
{
    const QStringList live = m_session->engines().liveRuns();
    const QString ofPage = m_pageRun ? m_pageRun() : QString();
    // Of several runs, buttons act on the one that the page shows.
    if (live.contains(ofPage)) {
        return ofPage;
    }
    return live.isEmpty() ? QString() : live.last();
}

QString RunControl::progressLine(const QString& run) const
{
    const auto status = m_session->engines().status(run);
    if (!status) {
        return tr("preparing");
    }
    QString line = status->maxSteps
                       ? tr("step %1 of %2")
                             .arg(formatCount(status->globalStep), formatCount(*status->maxSteps))
                       : tr("step %1").arg(formatCount(status->globalStep));
    if (status->state != RunState::Running) {
        line = displayName(status->state) + " · " + line;
    } else if (status->secondsLeft) {
        line = tr("%1 · %2 left").arg(line, formatDuration(*status->secondsLeft));
    }
    return line;
}

void RunControl::connectActions()
{
    const auto on = [this](const char* id, auto what) {
        connect(m_actions->find(id), &QAction::triggered, this, what);
    };
    on("action.train", [this] { m_session->starter().train(); });
    on("action.pause", [this] {
        const QString name = run();
        const auto status = m_session->engines().status(name);
        if (status && status->state == RunState::Paused) {
            m_session->engines().unpause(name);
        } else if (!name.isEmpty()) {
            m_session->engines().pause(name);
        }
    });
    on("action.stop_keep", [this] { stop(); });
    on("action.stop_discard", [this] { m_session->engines().stopWithoutSaving(run()); });
    on("action.checkpoint_now", [this] { m_session->engines().checkpointNow(run()); });
    on("action.check", [this] { check(); });
    on("action.sweep", [this] { sweep(); });
    on("action.rescan", [this] { m_session->runs().rescan(); });
}

/// Also reads the data again, which may have changed without the experiment.
void RunControl::check()
{
    ExperimentDocument& document = m_session->document();
    const CommandLine command{
        {"check", document.file()}, m_session->project().folder(), {"--json"}};
    // The answer is dropped if the experiment has changed meanwhile.
    const quint64 revision = document.revision();
    m_session->jobs().run(tr("Checking project files"), command,
                          [this, revision](const auto& done) {
                              if (!done.cancelled && done.json.isObject()) {
                                  m_session->document().problems().setChecked(
                                      revision, checkedProblems(done.json.object()));
                              }
                              Q_EMIT checked();
                          });
}

/// It goes on when the window closes, and where it was when it is started again.
void RunControl::sweep()
{
    ExperimentDocument& document = m_session->document();
    if (!document.isSettled() && document.storage().problem().isEmpty()) {
        QTimer::singleShot(kUntilSettled, this, &RunControl::sweep); // the program reads the file
        return;
    }
    const CommandLine command{{"sweep", document.file()},
                              m_session->project().folder(),
                              {"--json", "--quiet", "--progress", "json"}};
    m_sweeps->start(m_session->jobs().program(), tr("Sweeping"), command, document.file());
    if (QAction* jobs = m_actions->find("action.jobs"); !jobs->isChecked()) {
        jobs->trigger();
    }
}

QString RunControl::sweepHindrance() const
{
    if (m_sweeps->isRunning(m_session->document().file())) {
        return tr("The sweep is running; it can be stopped among the jobs.");
    }
    const QString training = plainOf(m_session->starter().hindrance());
    return !training.isEmpty() || m_session->document().field("sweep") != nullptr
               ? training
               : tr("The experiment has no sweep: add one in the form of the Model page.");
}

/// A second Stop while the run is finishing ends it without saving.
void RunControl::stop()
{
    const QString name = run();
    const auto status = m_session->engines().status(name);
    if (name.isEmpty()) {
        return;
    }
    if (status && status->state == RunState::Finishing) {
        m_session->engines().stopWithoutSaving(name);
    } else {
        m_session->engines().stopAndKeep(name);
    }
}

void RunControl::refresh()
{
    const QString name = run();
    const auto status =
        name.isEmpty() ? std::optional<EngineStatus>() : m_session->engines().status(name);
    const QString idle = name.isEmpty() ? tr("Nothing is training.") : QString();
    const bool paused = status && status->state == RunState::Paused;
    const bool finishing = status && status->state == RunState::Finishing;
    QAction* pause = m_actions->find("action.pause");
    const QString word = paused ? tr("&Resume") : tr("&Pause");
    // Setting a text makes every menu and button lay itself out, several times a second while it
    // trains.
    if (pause->text() != word) {
        pause->setProperty("iconName", paused ? "player-play" : "player-pause");
        pause->setText(word);
    }
    QAction* stop = m_actions->find("action.stop_keep");
    const QString stopWord = finishing ? tr("&Stop Without Saving") : tr("&Stop and Keep");
    if (stop->text() != stopWord) {
        stop->setText(stopWord);
    }
    m_actions->setHindrance("action.train", m_session->engines().isStarting()
                                                ? tr("A run is starting.")
                                                : plainOf(m_session->starter().hindrance()));
    m_actions->setHindrance("action.sweep", sweepHindrance());
    const QString finishes = finishing ? tr("%1 is finishing.").arg(name) : QString();
    m_actions->setHindrance("action.pause", idle.isEmpty() ? finishes : idle);
    m_actions->setHindrance("action.checkpoint_now", idle.isEmpty() ? finishes : idle);
    m_actions->setHindrance("action.stop_keep", idle);
    m_actions->setHindrance("action.stop_discard", idle);
    const bool open = m_session->project().isOpen() && !m_session->project().isEventFolder();
    const QString closed = open ? QString() : tr("No project is open.");
    m_actions->setHindrance("action.check", closed);
    m_actions->setHindrance("action.rescan",
                            closed.isEmpty() ? m_session->project().changeHindrance() : closed);
}

} // namespace cannery::ui
