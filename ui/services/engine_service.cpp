// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/engine_service.h"

#include "ui/document/background.h"
#include "ui/services/engine_scanner.h"
#include "ui/services/engine_watch.h"
#include "ui/services/job_runner.h"
#include "ui/services/runs/run_log.h"

#include <QHash>
#include <QJsonObject>

#include <map>

namespace cannery::ui {
namespace {

constexpr int kStartPatienceMs = 5000;

} // namespace

class EngineService::Private
{
public:
    Private(EngineService* owner, std::shared_ptr<EngineLinks> links)
        : m_owner(owner), m_links(std::move(links)), m_jobs(owner), m_scanner(owner)
    {
        m_logs.setMaxThreadCount(1);
    }

    void attach(const QString& run);
    void detach(const QString& run);
    void call(const QString& run, EngineLink::Call what);
    void answer(const JobRunner::Outcome& outcome);
    QString folderOf(const QString& run) const
    {
        return m_project + QStringLiteral("/runs/") + run;
    }

    EngineService* m_owner;
    std::shared_ptr<EngineLinks> m_links;
    QString m_project;
    int m_starting = 0;
    int m_restarts = 0;
    bool m_isAwake = true;
    std::map<QString, EngineWatch*> m_watches; ///< children of the owner
    QHash<QString, RunLog> m_log;
    JobRunner m_jobs; ///< the jobs that start engines
    EngineScanner m_scanner;
    QThreadPool m_logs;
};

void EngineService::Private::attach(const QString& run)
{
    if (m_watches.contains(run)) {
        return;
    }
    auto* watch = new EngineWatch(run, folderOf(run), m_links, m_owner);
    QObject::connect(watch, &EngineWatch::statusChanged, m_owner,
                     [this, run] { Q_EMIT m_owner->statusChanged(run); });
    QObject::connect(watch, &EngineWatch::logged, m_owner,
                     [this, run](const QList<LogEntry>& entries) {
                         m_log[run].append(entries);
                         Q_EMIT m_owner->logged(run, entries);
                     });
    QObject::connect(watch, &EngineWatch::fileGrew, m_owner, &EngineService::fileGrew);
    QObject::connect(watch, &EngineWatch::storeChanged, m_owner,
                     [this, run] { Q_EMIT m_owner->storeChanged(run); });
    QObject::connect(watch, &EngineWatch::failed, m_owner,
                     [this](const QString& sentence) { Q_EMIT m_owner->failed(sentence, {}); });
    QObject::connect(watch, &EngineWatch::ended, m_owner, [this, run] { detach(run); });
    watch->setAwake(m_isAwake);
    m_watches.emplace(run, watch);
    // Lines from before the watch began are only in the file.
    m_owner->readLog(run, folderOf(run));
    Q_EMIT m_owner->liveRunsChanged();
    Q_EMIT m_owner->storeChanged(run);
}

void EngineService::Private::detach(const QString& run)
{
    const auto found = m_watches.find(run);
    if (found == m_watches.end()) {
        return;
    }
    // Its thread may still be in a call. It deletes itself when that has ended.
    found->second->retire();
    m_watches.erase(found);
    m_scanner.forget(run);
    // The last lines may not have reached the watch.
    m_owner->readLog(run, folderOf(run));
    Q_EMIT m_owner->liveRunsChanged();
    Q_EMIT m_owner->storeChanged(run);
    Q_EMIT m_owner->ended(run);
}

void EngineService::Private::call(const QString& run, EngineLink::Call what)
{
    const auto found = m_watches.find(run);
    if (found == m_watches.end()) {
        Q_EMIT m_owner->failed(tr("%1 is not training now.").arg(run), {});
        return;
    }
    found->second->call(what);
}

void EngineService::Private::answer(const JobRunner::Outcome& outcome)
{
    --m_starting;
    Q_EMIT m_owner->startingChanged();
    const QString run = outcome.json.object().value(QStringLiteral("run")).toString();
    if (!outcome.ok || run.isEmpty()) {
        Q_EMIT m_owner->failed(outcome.sentence.isEmpty() ? tr("The engine did not start.")
                                                          : outcome.sentence,
                               outcome.error);
        return;
    }
    // The run is attached when the scanner finds its lock, as any run of another program is.
    m_scanner.expect();
    Q_EMIT m_owner->storeChanged(run);
    Q_EMIT m_owner->started(run);
}

EngineService::EngineService(QObject* parent, std::shared_ptr<EngineLinks> links)
    : QObject(parent), m_private(std::make_unique<Private>(
                           this, links ? std::move(links) : std::make_shared<LocalEngineLinks>()))
{
    connect(&m_private->m_scanner, &EngineScanner::found, this,
            [this](const QString& project, const QString& run) {
                if (project == m_private->m_project) {
                    m_private->attach(run);
                }
            });
}

EngineService::~EngineService()
{
    // A run that the user just requested must still begin.
    m_private->m_jobs.waitForDone(kStartPatienceMs);
    m_private->m_logs.waitForDone();
}

void EngineService::setProgram(const QString& path)
{
    m_private->m_jobs.setProgram(path);
}

QString EngineService::program() const
{
    return m_private->m_jobs.program();
}

void EngineService::setRestarts(int restarts)
{
    m_private->m_restarts = restarts;
}

void EngineService::setAwake(bool awake)
{
    m_private->m_isAwake = awake;
    for (const auto& [run, watch] : m_private->m_watches) {
        watch->setAwake(awake);
    }
}

void EngineService::openProject(const QString& folder)
{
    if (folder == m_private->m_project) {
        return;
    }
    m_private->m_project = folder;
    const bool had = !m_private->m_watches.empty();
    for (const auto& [run, watch] : m_private->m_watches) {
        watch->retire();
    }
    m_private->m_watches.clear();
    m_private->m_log.clear();
    m_private->m_scanner.openProject(folder);
    if (had) {
        Q_EMIT liveRunsChanged();
    }
}

void EngineService::start(const CommandLine& train)
{
    // The line that is shown and copied stays without what only this program needs.
    CommandLine command = train;
    command.machineArguments = QStringList{QStringLiteral("--json")};
    ++m_private->m_starting;
    Q_EMIT startingChanged();
    m_private->m_jobs.run(
        tr("Starting"), command,
        [this](const JobRunner::Outcome& outcome) { m_private->answer(outcome); }, true);
}

QStringList EngineService::supervisorArguments() const
{
    return m_private->m_restarts <= 0
               ? QStringList()
               : QStringList{QStringLiteral("--restarts"), QString::number(m_private->m_restarts)};
}

bool EngineService::isStarting() const
{
    return m_private->m_starting > 0;
}

void EngineService::pause(const QString& run)
{
    m_private->call(run, EngineLink::Call::Pause);
}

void EngineService::unpause(const QString& run)
{
    m_private->call(run, EngineLink::Call::Resume);
}

void EngineService::stopAndKeep(const QString& run)
{
    m_private->call(run, EngineLink::Call::StopAndKeep);
}

void EngineService::stopWithoutSaving(const QString& run)
{
    m_private->call(run, EngineLink::Call::StopWithoutSaving);
}

void EngineService::checkpointNow(const QString& run)
{
    m_private->call(run, EngineLink::Call::CheckpointNow);
}

QStringList EngineService::liveRuns() const
{
    QStringList runs;
    for (const auto& [run, watch] : m_private->m_watches) {
        runs << run;
    }
    return runs;
}

bool EngineService::isLive(const QString& run) const
{
    return m_private->m_watches.contains(run);
}

std::optional<EngineStatus> EngineService::status(const QString& run) const
{
    const auto found = m_private->m_watches.find(run);
    return found == m_private->m_watches.end() ? std::nullopt : found->second->status();
}

QList<LogEntry> EngineService::log(const QString& run) const
{
    return m_private->m_log.value(run).lines;
}

QList<LogEntry> EngineService::events(const QString& run) const
{
    return m_private->m_log.value(run).events;
}

void EngineService::readLog(const QString& run, const QString& folder)
{
    inBackground(
        m_private->m_logs, this, [run, folder] { return readRunLog(run, folder); },
        [this, run, project = m_private->m_project](const RunLog& read) {
            // Another project has been opened meanwhile, which may have a run of this name.
            if (project != m_private->m_project) {
                return;
            }
            RunLog& known = m_private->m_log[run];
            // Lines may have come from the engine while the file was read: neither is newer as a
            // whole.
            RunLog merged = mergedLog(read, known);
            if (!(merged == known)) {
                known = std::move(merged);
                Q_EMIT logChanged(run);
            }
        });
}

} // namespace cannery::ui
