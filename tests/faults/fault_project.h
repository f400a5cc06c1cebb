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

/// A folder for temporary files, in memory if the machine has a file system for that.
QString inMemoryFolder();

/// The fault to inject into a program, see fault_shim.cpp; `at` 0: none.
struct Fault
{
    int at = 0;
    QByteArray what = "kill";
    QByteArray calls = kChanges;
    int systemError = EIO;
    int mostThreads = -1; ///< negative: unlimited
};

/// How a program ended.
struct Ended
{
    int exitCode = -1; ///< -1: it did not exit normally
    int signal = 0;    ///< that killed it
    bool timedOut = false;
    QString out;
    QString err;

    /// For the message of a failed test.
    QByteArray describe() const;
};

/// How a program's output becomes text.
enum class Printed
{
    Utf8,
    Bytes, ///< one character per byte, which makes invalid UTF-8 visible
};
/// Waits for a program; kills it after this many milliseconds.
Ended endOf(QProcess& process, int longest = 120'000, Printed printed = Printed::Utf8);

/// The contents of the files below a folder, by relative path; without links.
QMap<QString, QByteArray> contentOf(const QString& folder);

/// A project with a small table and an experiment of a few steps, in a separate folder, in memory
/// if the machine has a file system for that, and the program to run in it.
class FaultProject
{
public:
    /// How training saves its checkpoints: a state of more than a megabyte is written in the
    /// background.
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

    /// The test itself damages announced files: no audit.
    void spoils() const { m_isSpoilt = true; }

    QString path(const QString& name = {}) const;
    std::string folder() const { return path().toStdString(); }
    std::string run() const { return path("runs/run-001").toStdString(); }
    QByteArray read(const QString& name) const;
    void write(const QString& name, const QByteArray& content) const;

    /// Deletes everything except table and experiment.
    void clear() const;
    /// Saves the project's state, which restore() brings back.
    void keep();
    void restore() const;

    /// Trains undisturbed, with any trainWords(), then runs the commands; and saves the state.
    void trainAndKeep(const QList<QStringList>& commands = {});

    /// `cannery ARGUMENTS` in the folder, with the fault.
    Ended cannery(const QStringList& arguments, const Fault& fault = {}) const;
    /// The same without a fault, but with a limit set by a shell: "ulimit -n 6".
    Ended limited(const QString& limit, const QStringList& arguments) const;
    /// The same without a fault, but with SIGKILL after this many microseconds, unless it ends
    /// before.
    Ended killedAfter(const QStringList& arguments, int microseconds) const;
    /// The calls of these kinds that it makes undisturbed: "create runs/run-001/state.json.tmp".
    QStringList calls(const QStringList& arguments, const QByteArray& kinds = kChanges) const;

    /// The calls of the last program that was logged or interrupted.
    QStringList takeCalls() const;

    /// Trains the experiment into run-001, saving at every step.
    static QStringList trainWords(const QStringList& more = {});
    /// Resumes run-001, or starts it if it does not exist yet.
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

/// The expected result of a training, whatever happened on the way.
struct RunResult
{
    std::map<std::string, std::string> files;        ///< of the last checkpoint: index and data
    std::vector<storage::RunEvaluation> evaluations; ///< from the run's folder, without times

    static RunResult of(const std::string& runFolder, int step);
    /// Empty, or the difference from the undisturbed one.
    QByteArray differenceFrom(const RunResult& undisturbed) const;
};

/// Empty if every checkpoint named by the state file exists and is intact, and the newest is not
/// older than `atLeast`.
QByteArray checkpointProblem(const std::string& runFolder, int atLeast = -1);

/// Empty if the project's store is intact and agrees with run-001's folder.
QByteArray storeProblem(const std::string& project);

/// Names below a folder that only exist because a program was killed.
QStringList straysIn(const QString& folder);

} // namespace cannery::tests
