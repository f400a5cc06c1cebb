#pragma once

#include "ui/models/command_line.h"
#include "ui/models/run_snapshot.h"

#include <QDateTime>
#include <QObject>

#include <memory>
#include <optional>

namespace cannery::ui {

/// How an engine is getting on, as it last said.
struct EngineStatus
{
    QString run; ///< name of the run's folder
    RunState state = RunState::Preparing;
    QString reason;
    qint64 globalStep = 0;
    std::optional<qint64> maxSteps;
    double loss = 0;
    double stepsPerSecond = 0; ///< 0: not known yet
    double rowsPerSecond = 0;
    double epochs = 0;
    std::optional<double> secondsLeft; ///< nothing until there is evidence
    double inputWait = 0;              ///< share of the step time, 0 … 1
    double deviceBusy = 0;             ///< 0 … 1
    qint64 memoryBytes = 0;
    int threads = 0;
    QString device; ///< "CPU"
    QDateTime startedAt;
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
};

/// Starts engines and talks to those that run, whoever started them. All sockets are served off the
/// GUI thread; a call returns at once and its outcome is a signal. GUI thread.
class EngineService : public QObject
{
    Q_OBJECT

public:
    explicit EngineService(QObject* parent = nullptr);
    ~EngineService() override;

    /// The `cannery` program; found beside the workbench by default.
    void setProgram(const QString& path);
    QString program() const;

    /// Engines of this project's runs are attached to as they appear.
    void openProject(const QString& folder);

    /// Trains detached under a supervisor: the run goes on when this program ends. Emits started()
    /// or failed().
    void start(const CommandLine& train);
    /// Goes on with a run from its last checkpoint (Resume, Retry).
    void resumeRun(const QString& run);

    void pause(const QString& run);
    void unpause(const QString& run);
    void stopAndKeep(const QString& run);
    void stopWithoutSaving(const QString& run);
    void checkpointNow(const QString& run);

    /// Engines that this program hears from now.
    QStringList liveRuns() const;
    std::optional<EngineStatus> status(const QString& run) const;
    QList<LogEntry> log(const QString& run) const;

Q_SIGNALS:
    void started(const QString& run);
    void failed(const QString& sentence, const QString& details);
    void statusChanged(const QString& run);
    void logged(const cannery::ui::LogEntry& entry);
    /// A checkpoint, an evaluation or an end: the store has news.
    void storeChanged(const QString& run);
    void fileGrew(const QString& path);
    /// The engine is gone, with last words or without.
    void ended(const QString& run);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
