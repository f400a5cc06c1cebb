// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "storage/runs/run_record.h"

#include <QByteArray>
#include <QMap>
#include <QProcess>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>

#include <cerrno>
#include <map>
#include <string>
#include <vector>

namespace cannery::tests {

/// Calls that change files; the other kind is "read".
inline constexpr const char* kChanges = "write,sync,rename,create,remove,mkdir";

/// A folder for temporary files, in memory where the machine has a file system for that.
QString inMemoryFolder();

/// What is to happen to a program, see fault_shim.cpp; `at` 0: nothing.
struct Fault
{
    int at = 0;
    QByteArray what = "kill";
    QByteArray calls = kChanges;
    int systemError = EIO;
    int mostThreads = -1; ///< below 0: as many as it wants
};

/// How a program ended.
struct Ended
{
    int exitCode = -1; ///< -1: it did not end by itself
    int signal = 0;    ///< that killed it
    bool timedOut = false;
    QString out;
    QString err;

    /// For the message of a failed test.
    QByteArray describe() const;
};

/// How what a program printed becomes text.
enum class Printed
{
    Utf8,
    Bytes, ///< a letter for each, so that what is not UTF-8 is seen
};
/// Waits for a program; one that takes longer than so many milliseconds is killed.
Ended endOf(QProcess& process, int longest = 120'000, Printed printed = Printed::Utf8);

/// What the files below a folder hold, by their paths in it; links are left out.
QMap<QString, QByteArray> contentOf(const QString& folder);

/// A project with a small table and an experiment of a few steps, in a folder of its own, in memory
/// where the machine has a file system for that, and the program to run in it.
class FaultProject
{
public:
    /// How training saves its checkpoints: a state of more than a megabyte goes to the disk while
    /// training goes on.
    enum class Saves
    {
        AtOnce,
        Behind,
    };
    explicit FaultProject(Saves saves = Saves::AtOnce, const QString& parent = inMemoryFolder());
    /// Here, and before clear() and restore(), what the program has announced is audited: see
    /// tests/support/audit.h.
    ~FaultProject();
    FaultProject(const FaultProject&) = delete;
    FaultProject& operator=(const FaultProject&) = delete;

    /// The test itself spoils what was announced: there is no audit.
    void spoils() const { m_isSpoilt = true; }

    QString path(const QString& name = {}) const;
    std::string folder() const { return path().toStdString(); }
    std::string run() const { return path("runs/run-001").toStdString(); }
    QByteArray read(const QString& name) const;
    void write(const QString& name, const QByteArray& content) const;

    /// Deletes everything but table and experiment.
    void clear() const;
    /// Remembers the project as it is; restore() brings it back.
    void keep();
    void restore() const;

    /// Trains, undisturbed, whatever trainWords() say, then what the commands say; and keeps that.
    void trainAndKeep(const QList<QStringList>& commands = {});

    /// `cannery ARGUMENTS` in the folder, disturbed.
    Ended cannery(const QStringList& arguments, const Fault& fault = {}) const;
    /// The same, undisturbed but for a limit that a shell sets: "ulimit -n 6".
    Ended limited(const QString& limit, const QStringList& arguments) const;
    /// The same, undisturbed but for SIGKILL after so many microseconds, unless it ends before.
    Ended killedAfter(const QStringList& arguments, int microseconds) const;
    /// The calls of such kinds that it makes undisturbed: "create runs/run-001/state.json.tmp".
    QStringList calls(const QStringList& arguments, const QByteArray& kinds = kChanges) const;

    /// The calls of the last program that was logged or interrupted.
    QStringList takeCalls() const;

    /// Trains the experiment into run-001, saving at every step.
    static QStringList trainWords(const QStringList& more = {});
    /// Goes on with run-001, or begins it when it never got so far.
    QStringList continueWords() const;

    static constexpr int kSteps = 3;

private:
    void auditNow() const;

    QTemporaryDir m_folder;
    QTemporaryDir m_kept;
    mutable bool m_isSpoilt = false;
};

/// "call 7, sync runs/run-001/…: a problem", for the message of a failed test.
QByteArray atCall(const QStringList& calls, int call, const QByteArray& problem);

/// What is to come out of a training, whatever happened on the way.
struct RunResult
{
    std::map<std::string, std::string> files; ///< of the last checkpoint: index and data
    std::vector<storage::RunEvaluation>
        evaluations; ///< as the run's folder has them, without times

    static RunResult of(const std::string& runFolder, int step);
    /// Empty, or what differs from the undisturbed one.
    QByteArray differenceFrom(const RunResult& undisturbed) const;
};

/// Empty when every checkpoint that the state file names is there and sound, and the newest is not
/// older than `atLeast`.
QByteArray checkpointProblem(const std::string& runFolder, int atLeast = -1);

/// Empty when the project's store is sound and says of run-001 what its folder says.
QByteArray storeProblem(const std::string& project);

/// Names below a folder that are only there because a program was killed.
QStringList straysIn(const QString& folder);

} // namespace cannery::tests
