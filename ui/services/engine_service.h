// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"
#include "ui/models/runs/run_snapshot.h"
#include "ui/models/runs/worker_table_model.h"

#include <QDateTime>
#include <QObject>

#include <memory>
#include <optional>

namespace cannery::ui {

class EngineLinks;

/// The last status reported by an engine.
struct EngineStatus
{
    QString run; ///< the name of the run's folder
    RunState state = RunState::Preparing;
    QString reason;
    qint64 globalStep = 0;
    std::optional<qint64> maxSteps;
    double loss = 0;
    double stepsPerSecond = 0; ///< 0: not known yet
    double rowsPerSecond = 0;
    double epochs = 0;
    std::optional<double> secondsLeft; ///< empty until it can be estimated
    double inputWait = 0;              ///< share of the step time, 0 to 1
    double deviceBusy = 0;             ///< 0 … 1
    qint64 memoryBytes = 0;
    qint64 processId = 0;
    int threads = 0;
    QString device; ///< "CPU", "GPU:0 (NVIDIA H100 80GB HBM3)"
    // Of a GPU that trains, by all programs; empty if the CPU trains, or the GPU does not report
    // it.
    std::optional<qint64> deviceMemoryBytes;
    std::optional<qint64> deviceMemoryTotal;
    std::optional<double> deviceLoad; ///< 0 … 1
    QDateTime startedAt;
    QList<WorkerRow> workers; ///< of a cluster, the chief first; empty if it trains alone
};

enum class LogLevel
{
    Info,
    Warning,
    Error,
};

/// One line of a run's log; health notes carry a stable id ("health.nan_loss") and an action.
struct LogEntry
{
    QString run;
    QDateTime time;
    LogLevel level = LogLevel::Info;
    QString id;
    QString sentence;

    bool operator==(const LogEntry&) const = default;
};

/// Starts engines and talks to running ones, whoever started them. All files and sockets are served
/// off the GUI thread; a call returns at once and its outcome is a signal. A run is live while a
/// process holds its lock; its end is noticed at once (the socket closes) or within tenths of a
/// second (the lock is released). GUI thread.
class EngineService : public QObject
{
    Q_OBJECT

public:
    /// `links`: connects to engines; by their local sockets if null.
    explicit EngineService(QObject* parent = nullptr, std::shared_ptr<EngineLinks> links = {});
    ~EngineService() override;

    /// The `cannery` program; JobRunner::findProgram() by default.
    void setProgram(const QString& path);
    QString program() const;
    /// How often the supervisor of a resumed run may restart its engine.
    void setRestarts(int restarts);
    /// "--restarts 3", or empty.
    QStringList supervisorArguments() const;

    /// While the window is not visible, signals are rare. Awake by default.
    void setAwake(bool awake);

    /// Attaches to the engines of this project's runs as they appear. Empty for no project.
    void openProject(const QString& folder);

    /// Trains detached under a supervisor ("train FILE --detach --restarts 3"): the run continues
    /// when this program ends. Emits started() or failed().
    void start(const CommandLine& train);
    /// True between start() and its outcome.
    bool isStarting() const;

    void pause(const QString& run);
    void unpause(const QString& run);
    /// In the state Finishing, offer stopWithoutSaving() instead.
    void stopAndKeep(const QString& run);
    void stopWithoutSaving(const QString& run);
    void checkpointNow(const QString& run);

    /// The runs that a process holds now, sorted by name.
    QStringList liveRuns() const;
    bool isLive(const QString& run) const;
    /// Empty if the run is not live, or its engine has not reported yet.
    std::optional<EngineStatus> status(const QString& run) const;
    /// The known part of the run's log, oldest first; at most kLogLimit entries. Empty until
    /// readLog() for a run that was not live in this session.
    QList<LogEntry> log(const QString& run) const;
    /// The events of the run: the log without the lines that only repeat the curves, and so
    /// reaching further back. At most kEventLimit; notes and warnings are kept longest.
    QList<LogEntry> events(const QString& run) const;
    /// Reads the run's train.log in the background, then emits logChanged().
    void readLog(const QString& run, const QString& folder);

    static constexpr int kLogLimit = 5000;
    static constexpr int kEventLimit = 500;

Q_SIGNALS:
    void started(const QString& run);
    /// start() has begun or ended.
    void startingChanged();
    void failed(const QString& sentence, const QString& details);
    /// liveRuns() has changed.
    void liveRunsChanged();
    void statusChanged(const QString& run);
    /// New lines of one run, in their order; at most five times a second.
    void logged(const QString& run, const QList<cannery::ui::LogEntry>& entries);
    /// log() of the run has changed other than by the lines of logged().
    void logChanged(const QString& run);
    /// A checkpoint, an evaluation or an end: the store has changed.
    void storeChanged(const QString& run);
    /// An event file has reached this size in bytes. After attaching to an engine, this is emitted
    /// for all of its files first.
    void fileGrew(const QString& path, qint64 bytes);
    /// The engine has ended, with last words or without.
    void ended(const QString& run);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
