// SPDX-License-Identifier: GPL-3.0-only
#pragma once

#include "ui/models/command_line.h"

#include <QDateTime>
#include <QJsonDocument>
#include <QList>
#include <QObject>

#include <functional>
#include <memory>

namespace cannery::ui {

/// Something that takes a while: a command of the `cannery` program run to its end.
struct Job
{
    enum class State
    {
        Running,
        Finished,
        Failed,
        Cancelled,
    };
    int id = 0;
    QString title; ///< "Exporting SavedModel"
    CommandLine command;
    State state = State::Running;
    double progress = -1; ///< 0 … 1; below 0: not known
    QString message;      ///< last line of progress, or why it failed
    QDateTime startedAt;
};

/// Runs jobs beside the window; several at once. Lines `{"progress":0.4,"message":"…"}` on a job's
/// standard error become its progress. A finished job stays listed until cleared. GUI thread;
/// nothing blocks.
class JobRunner : public QObject
{
    Q_OBJECT

public:
    /// How a job ended.
    struct Outcome
    {
        bool ok = false;        ///< ended by itself with exit code 0
        bool cancelled = false; ///< by cancel()
        int exitCode = 0;       ///< -1 when it could not be started or crashed
        QByteArray output;      ///< standard output, whole
        QString error;          ///< standard error without lines of progress
        QJsonDocument json;     ///< of the output when it is JSON
        QString errorId;  ///< stable id: "csv.row_too_short"; empty when the program gave none
        QString sentence; ///< why it failed, for a person; empty when ok
        QStringList errorArguments; ///< what the sentence names: a file, a line
    };
    using Done = std::function<void(const Outcome&)>;

    explicit JobRunner(QObject* parent = nullptr);
    /// Ends what still runs; their `done` is not called any more.
    ~JobRunner() override;

    /// The `cannery` program; by default findProgram().
    void setProgram(const QString& path);
    QString program() const;

    /// Starts the command; `done` is called once on the GUI thread, also after cancel(), and never
    /// before run() returns. Returns the job's id. A quiet job (a `check` after an edit) is not
    /// listed.
    int run(const QString& title, const CommandLine& command, Done done, bool quiet = false);
    /// Asks the program to end; one that does not within three seconds is killed.
    void cancel(int id);
    void clearFinished();
    /// Blocks until nothing runs any more, or the time is over. Only for the end of the program.
    void waitForDone(int milliseconds);

    /// Listed jobs, newest first.
    QList<Job> jobs() const;
    int runningCount() const;

    /// The sentence and id within `{"error":{"id","sentence"}}`, in either stream; else the last
    /// line of the error stream.
    static void readError(Outcome& outcome);
    /// CANNERY_PROGRAM, or `cannery` beside this program, or on the PATH.
    static QString findProgram();

Q_SIGNALS:
    void changed();
    /// A listed job ended.
    void finished(int id);

private:
    class Private;
    std::unique_ptr<Private> m_private;
};

} // namespace cannery::ui
