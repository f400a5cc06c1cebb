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

/// A command of the `cannery` program that runs in the background.
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
    double progress = -1; ///< 0 to 1; negative if unknown
    QString message;      ///< the last progress message, or why it failed
    QDateTime startedAt;
};

/// Runs jobs in the background, several at once. Lines `{"progress":0.4,"message":"…"}` on a job's
/// standard error become its progress. A finished job stays listed until cleared. GUI thread;
/// nothing blocks.
class JobRunner : public QObject
{
    Q_OBJECT

public:
    /// How a job ended.
    struct Outcome
    {
        bool ok = false;        ///< ended with exit code 0
        bool cancelled = false; ///< by cancel()
        int exitCode = 0;       ///< -1 if it could not be started or crashed
        QByteArray output;      ///< the whole standard output
        QString error;          ///< standard error without progress lines
        QJsonDocument json;     ///< the output, if it is JSON
        QString errorId;  ///< stable id: "csv.row_too_short"; empty when the program gave none
        QString sentence; ///< why it failed, for the user; empty if ok
        QStringList errorArguments; ///< what the sentence names: a file, a line
    };
    using Done = std::function<void(const Outcome&)>;

    explicit JobRunner(QObject* parent = nullptr);
    /// Ends what is still running; the `done` callbacks are not called any more.
    ~JobRunner() override;

    /// The `cannery` program; by default findProgram().
    void setProgram(const QString& path);
    QString program() const;

    /// Starts the command; `done` is called once on the GUI thread, also after cancel(), and never
    /// before run() returns. Returns the job's id. A quiet job (a `check` after an edit) is not
    /// listed.
    int run(const QString& title, const CommandLine& command, Done done, bool quiet = false);
    /// Asks the program to end; kills it if it has not ended after three seconds.
    void cancel(int id);
    void clearFinished();
    /// Blocks until nothing is running any more, or the time is up. Only for program exit.
    void waitForDone(int milliseconds);

    /// Listed jobs, newest first.
    QList<Job> jobs() const;
    int runningCount() const;

    /// The sentence and id from `{"error":{"id","sentence"}}` in either stream; otherwise the last
    /// line of the error stream.
    static void readError(Outcome& outcome);
    /// CANNERY_PROGRAM, or `cannery` next to this program, or on the PATH.
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
