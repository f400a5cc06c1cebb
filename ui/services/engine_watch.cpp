// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/engine_watch.h"

#include "core/reports/given.h"
#include "storage/runs/run_lock.h"
#include "ui/document/background.h"
#include "ui/services/runs/run_state.h"

#include <QFile>
#include <QTimer>

#include <utility>

namespace cannery::ui {
namespace {

/// How long after a broken connection the lock is checked and a new connection tried.
constexpr std::chrono::milliseconds kRetry{50};
constexpr std::chrono::milliseconds kSlowRetry{250};
constexpr int kQuickTries = 100;
constexpr std::chrono::milliseconds kStillCalling{100};
/// Between two deliveries; charts and numbers are not updated more often either.
constexpr std::chrono::milliseconds kBetweenDeliveries{200};
constexpr std::chrono::milliseconds kBetweenUnseen{2000};
/// After a pause only the newest lines are delivered; the others are in the run's log.
constexpr qsizetype kMostLines = EngineService::kLogLimit;

/// A newer engine may have states that this window does not know.
RunState stateOf(const std::string& name)
{
    return runStateOf(storage::runStateFromName(name).value_or(storage::RunState::Preparing));
}

QDateTime timeOf(double seconds)
{
    return QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(seconds * 1000.0));
}

WorkerRow converted(const reports::TaskStatus& task)
{
    return {.task = QString::fromStdString(task.task()),
            .state = QString::fromStdString(task.state()),
            .step = task.step(),
            .stepSeconds = reports::given(task.has_step_seconds(), task.step_seconds()),
            .waitSeconds = reports::given(task.has_wait_seconds(), task.wait_seconds()),
            .networkSeconds = reports::given(task.has_network_seconds(), task.network_seconds()),
            .restarts = task.restarts()};
}

EngineStatus converted(const QString& run, const reports::EngineStatus& report)
{
    EngineStatus status{
        .run = run,
        .state = stateOf(report.state()),
        .reason = QString::fromStdString(report.reason()),
        .globalStep = report.global_step(),
        .maxSteps = reports::given<qint64>(report.has_max_steps(), report.max_steps()),
        .loss = report.loss(),
        .stepsPerSecond = report.steps_per_second(),
        .rowsPerSecond = report.rows_per_second(),
        .epochs = report.epochs(),
        .secondsLeft = reports::given(report.has_seconds_left(), report.seconds_left()),
        .inputWait = report.input_wait(),
        .deviceBusy = report.device_busy(),
        .memoryBytes = report.memory_bytes(),
        .processId = report.process_id(),
        .threads = report.threads(),
        .device = QString::fromStdString(report.device()),
        .deviceMemoryBytes =
            reports::given<qint64>(report.has_device_memory_bytes(), report.device_memory_bytes()),
        .deviceMemoryTotal =
            reports::given<qint64>(report.has_device_memory_total(), report.device_memory_total()),
        .deviceLoad = reports::given(report.has_device_load(), report.device_load()),
        .startedAt = timeOf(report.started_at())};
    for (const reports::TaskStatus& worker : report.workers()) {
        status.workers << converted(worker);
    }
    return status;
}

LogEntry converted(const QString& run, const reports::LogLine& line)
{
    const LogLevel level = line.level() == reports::LogLine::ERROR     ? LogLevel::Error
                           : line.level() == reports::LogLine::WARNING ? LogLevel::Warning
                                                                       : LogLevel::Info;
    return {run, timeOf(line.time()), level, QString::fromStdString(line.id()),
            QString::fromStdString(line.sentence())};
}

} // namespace

EngineWatch::EngineWatch(QString run, const QString& folder, std::shared_ptr<EngineLinks> links,
                         QObject* parent)
    : QObject(parent), m_run(std::move(run)), m_folder(QFile::encodeName(folder).toStdString()),
      m_links(std::move(links))
{
    m_calls.setMaxThreadCount(1);
    m_pause.setSingleShot(true);
    connect(&m_pause, &QTimer::timeout, this, &EngineWatch::emptyWaiting);
    m_thread = std::jthread([this](const std::stop_token& stop) { follow(stop); });
}

EngineWatch::~EngineWatch()
{
    m_thread.request_stop();
    m_calls.clear();
    m_calls.waitForDone();
    m_thread = {};
}

void EngineWatch::retire()
{
    m_isRetired = true;
    disconnect(); // the receivers, not the pause
    m_thread.request_stop();
    m_calls.clear();
    deleteWhenThrough();
}

void EngineWatch::setAwake(bool awake)
{
    if (!std::exchange(m_isAwake, awake) && awake && m_pause.isActive()) {
        m_pause.start(std::chrono::milliseconds(0));
    }
}

void EngineWatch::deleteWhenThrough()
{
    if (!m_isThrough) {
        return; // empty() is called once more
    }
    if (m_calls.activeThreadCount() == 0) {
        deleteLater();
    } else {
        QTimer::singleShot(kStillCalling, this, [this] { deleteWhenThrough(); });
    }
}

template <typename Change>
void EngineWatch::put(Change change)
{
    // One posted event for any number of changes, until the inbox is emptied.
    const std::lock_guard lock(m_mutex);
    change(m_inbox);
    if (!std::exchange(m_inbox.isNotified, true)) {
        QMetaObject::invokeMethod(
            this, [this] { emptySoon(); }, Qt::QueuedConnection);
    }
}

/// Now, or when the pause after the last delivery is over.
void EngineWatch::emptySoon()
{
    if (m_isRetired || !m_pause.isActive()) {
        empty();
    }
}

void EngineWatch::take(const control::EngineEvent& event)
{
    put([&](Inbox& inbox) {
        if (const auto* status = std::get_if<reports::EngineStatus>(&event)) {
            inbox.status = *status;
        } else if (const auto* grown = std::get_if<control::FileGrew>(&event)) {
            inbox.files.insert(QFile::decodeName(grown->path.c_str()),
                               static_cast<qint64>(grown->bytes));
        } else if (const auto* line = std::get_if<reports::LogLine>(&event)) {
            inbox.lines << *line;
            if (inbox.lines.size() > kMostLines) {
                inbox.lines.removeFirst();
            }
        } else {
            inbox.storeChanged = true;
        }
    });
}

void EngineWatch::receive(EngineLink& link, const std::stop_token& stop)
{
    const std::stop_callback cancel(stop, [&link] { link.cancelWatch(); });
    (void)link.watch([this](const control::EngineEvent& event) { take(event); });
}

void EngineWatch::follow(const std::stop_token& stop)
{
    bool wasReported = false;
    int tries = 0;
    // The lock decides, not the connection, which may break while the engine goes on.
    while (!stop.stop_requested() && storage::RunLock::owner(m_folder)) {
        Result<std::unique_ptr<EngineLink>> link = m_links->connect(m_folder);
        if (link) {
            receive(**link, stop);
            tries = 0;
            // A connection that ends usually means another state in the store.
            put([](Inbox& inbox) { inbox.storeChanged = true; });
        } else if (link.error().id == "control.version" && !std::exchange(wasReported, true)) {
            put([&](Inbox& inbox) {
                inbox.failure = QString::fromStdString(link.error().message());
            });
        }
        // A wait that the stop token ends at once. An engine that has just started needs some
        // tries.
        std::unique_lock lock(m_mutex);
        m_wake.wait_for(lock, stop, ++tries < kQuickTries ? kRetry : kSlowRetry,
                        [] { return false; });
    }
    put([&](Inbox& inbox) {
        inbox.ended = !stop.stop_requested();
        inbox.isThrough = true;
    });
}

/// The pause is over.
void EngineWatch::emptyWaiting()
{
    const bool waits = [this] {
        const std::lock_guard lock(m_mutex);
        return m_inbox.isNotified;
    }();
    if (waits) {
        empty();
    }
}

void EngineWatch::empty()
{
    Inbox inbox;
    {
        const std::lock_guard lock(m_mutex);
        // The lock is given up before signals are emitted: receivers may take long.
        inbox = std::exchange(m_inbox, {});
    }
    m_pause.start(m_isAwake ? kBetweenDeliveries : kBetweenUnseen);
    m_isThrough = m_isThrough || inbox.isThrough;
    if (m_isRetired) {
        deleteWhenThrough();
        return;
    }
    if (inbox.status) {
        setStatus(*inbox.status);
    }
    for (auto file = inbox.files.cbegin(); file != inbox.files.cend(); ++file) {
        Q_EMIT fileGrew(file.key(), file.value());
    }
    publishLines(inbox.lines);
    if (inbox.storeChanged) {
        Q_EMIT storeChanged();
    }
    if (!inbox.failure.isEmpty()) {
        Q_EMIT failed(inbox.failure);
    }
    if (inbox.ended) {
        Q_EMIT ended();
    }
}

void EngineWatch::publishLines(const QList<reports::LogLine>& lines)
{
    if (lines.isEmpty()) {
        return;
    }
    QList<LogEntry> entries;
    entries.reserve(lines.size());
    for (const reports::LogLine& line : lines) {
        entries << converted(m_run, line);
    }
    Q_EMIT logged(entries);
}

void EngineWatch::setStatus(const reports::EngineStatus& status)
{
    m_status = converted(m_run, status);
    // A status that was sent before the stop would otherwise show it as running again. A restarted
    // engine has another process.
    if (m_stopping == m_status->processId && isLive(m_status->state)) {
        m_status->state = RunState::Finishing;
    }
    Q_EMIT statusChanged();
}

/// The watch sees the effect of the call; asking for the status here could only deliver an older
/// one later.
void EngineWatch::call(EngineLink::Call what)
{
    inBackground(
        m_calls, this,
        [links = m_links, folder = m_folder, what]() -> Result<void> {
            CANNERY_TRY_ASSIGN(const std::unique_ptr<EngineLink> link, links->connect(folder));
            return link->call(what);
        },
        [this, what](const Result<void>& answer) { answered(what, answer); });
}

void EngineWatch::answered(EngineLink::Call what, const Result<void>& answer)
{
    if (m_isRetired) {
        return;
    }
    if (!answer) {
        // It ended before it could answer; ended() follows.
        if (answer.error().id != "control.not_running") {
            Q_EMIT failed(QString::fromStdString(answer.error().message()));
        }
        return;
    }
    const bool stops =
        what == EngineLink::Call::StopAndKeep || what == EngineLink::Call::StopWithoutSaving;
    if (!stops || !m_status) {
        return;
    }
    m_stopping = m_status->processId;
    if (isLive(m_status->state) && m_status->state != RunState::Finishing) {
        m_status->state = RunState::Finishing;
        Q_EMIT statusChanged();
    }
}

} // namespace cannery::ui
