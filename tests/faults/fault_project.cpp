// SPDX-License-Identifier: Apache-2.0
#include "tests/faults/fault_project.h"

#include "storage/io/files.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_store.h"
#include "storage/tf/checkpoints/checkpoint_reader.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/support/audit.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QProcess>

#include <chrono>
#include <filesystem>
#include <thread>

namespace cannery::tests {
namespace {

namespace fs = std::filesystem;

constexpr char kExperiment[] = R"(name: "faults"
data {
  train { csv { files: "table.csv" } }
  eval { csv { files: "table.csv" } }
  label { column: "label" }
}
feature_column { name: "x" numeric_column { key: "x" } }
feature_column { name: "colour" categorical_column_with_vocabulary_list { key: "colour" vocabulary_list: ["red", "green", "blue"] } }
feature_column { name: "colour_embedding" embedding_column { categorical_column: "colour" dimension: 2 } }
estimator {
  dnn_classifier {
    hidden_units: [4]
    feature_columns: ["x", "colour_embedding"]
    optimizer { adam { learning_rate: 0.01 } }
    dropout: 0.1
  }
}
train_spec { max_steps: 3 input { batch_size: 8 shuffle: true } }
eval_spec { steps: 0 throttle_secs: 0 input { batch_size: 32 } }
run_config { tf_random_seed: 11 save_checkpoints_steps: 1 save_summary_steps: 1 keep_checkpoint_max: 2 }
)";

QByteArray table()
{
    QByteArray text = "x,colour,label\n";
    const char* colours[] = {"red", "green", "blue"};
    for (int i = 0; i < 40; ++i) {
        const double x = (i * 37 % 101) / 50.0 - 1.0;
        const int colour = i * 7 % 3;
        text += QByteArray::number(x) + "," + colours[colour] + "," +
                (x + 0.3 * colour > 0.3 ? "1" : "0") + "\n";
    }
    return text;
}

QString folderIn(const QString& parent)
{
    return parent + "/cannery-faults-XXXXXX";
}

void copyTree(const QString& from, const QString& to)
{
    fs::copy(from.toStdString(), to.toStdString(), fs::copy_options::recursive);
}

void removeChildren(const QString& folder, const QStringList& except = {})
{
    for (const auto& entry : fs::directory_iterator(folder.toStdString())) {
        if (!except.contains(QString::fromStdString(entry.path().filename().string()))) {
            fs::remove_all(entry.path());
        }
    }
}

} // namespace

QString inMemoryFolder()
{
    const QFileInfo memory("/dev/shm");
    return memory.isDir() && memory.isWritable() ? QString("/dev/shm") : QDir::tempPath();
}

QByteArray Ended::describe() const
{
    return QString("exit %1, signal %2%3\n%4\n%5")
        .arg(exitCode)
        .arg(signal)
        .arg(timedOut ? ", timed out" : "", out, err)
        .toUtf8();
}

Ended endOf(QProcess& process, int longest, Printed printed)
{
    Ended ended;
    if (!process.waitForFinished(longest)) {
        process.kill();
        process.waitForFinished();
        ended.timedOut = true;
    } else if (process.exitStatus() == QProcess::NormalExit) {
        ended.exitCode = process.exitCode();
    } else {
        ended.signal = process.exitCode();
    }
    const auto textOf = [printed](const QByteArray& bytes) {
        return printed == Printed::Utf8 ? QString::fromUtf8(bytes) : QString::fromLatin1(bytes);
    };
    ended.out = textOf(process.readAllStandardOutput());
    ended.err = textOf(process.readAllStandardError());
    return ended;
}

QMap<QString, QByteArray> contentOf(const QString& folder)
{
    QMap<QString, QByteArray> content;
    QDirIterator files(folder, QDir::Files | QDir::Hidden | QDir::NoSymLinks,
                       QDirIterator::Subdirectories);
    while (files.hasNext()) {
        QFile file(files.next());
        if (file.open(QIODevice::ReadOnly)) {
            content.insert(file.fileName().mid(folder.size() + 1), file.readAll());
        }
    }
    return content;
}

FaultProject::FaultProject(Saves saves, const QString& parent)
    : m_folder(folderIn(parent)), m_kept(folderIn(inMemoryFolder()))
{
    write("table.csv", table());
    QByteArray experiment = kExperiment;
    if (saves == Saves::Behind) {
        experiment.replace("hidden_units: [4]", "hidden_units: [300, 320]");
    }
    write("faults.cannery", experiment);
}

QString FaultProject::path(const QString& name) const
{
    return name.isEmpty() ? m_folder.path() : m_folder.filePath(name);
}

QByteArray FaultProject::read(const QString& name) const
{
    QFile file(path(name));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void FaultProject::write(const QString& name, const QByteArray& content) const
{
    QFile file(path(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size()) {
        qFatal("cannot write %s", qPrintable(name));
    }
}

FaultProject::~FaultProject()
{
    auditNow();
}

void FaultProject::auditNow() const
{
    if (!m_isSpoilt) {
        audit(m_folder.path());
    }
}

void FaultProject::clear() const
{
    auditNow();
    removeChildren(m_folder.path(), {"table.csv", "faults.cannery"});
}

void FaultProject::keep()
{
    removeChildren(m_kept.path());
    copyTree(m_folder.path(), m_kept.path());
}

void FaultProject::restore() const
{
    auditNow();
    removeChildren(m_folder.path());
    copyTree(m_kept.path(), m_folder.path());
}

void FaultProject::trainAndKeep(const QList<QStringList>& commands)
{
    for (const QStringList& words : QList<QStringList>{trainWords()} + commands) {
        const Ended ended = cannery(words);
        if (ended.exitCode != 0) {
            qFatal("the undisturbed program failed: %s", ended.describe().constData());
        }
    }
    keep();
}

Ended FaultProject::cannery(const QStringList& arguments, const Fault& fault) const
{
    QProcess process;
    process.setWorkingDirectory(path());
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    if (fault.at > 0 || fault.what == "log" || fault.mostThreads >= 0) {
        environment.insert("LD_PRELOAD", CANNERY_FAULT_SHIM);
        environment.insert("CANNERY_FAULT_ROOT", path());
        environment.insert("CANNERY_FAULT_CALLS", fault.calls);
        environment.insert("CANNERY_FAULT_AT", QString::number(fault.at));
        environment.insert("CANNERY_FAULT_DO", fault.what);
        environment.insert("CANNERY_FAULT_ERRNO", QString::number(fault.systemError));
        environment.insert("CANNERY_FAULT_LOG", fault.what == "log" || fault.what == "interrupt"
                                                    ? m_kept.filePath("calls.log")
                                                    : QString());
        if (fault.mostThreads >= 0) {
            environment.insert("CANNERY_FAULT_THREADS", QString::number(fault.mostThreads));
        }
    }
    process.setProcessEnvironment(environment);
    process.start(CANNERY_PROGRAM, arguments, QIODevice::ReadOnly);
    return endOf(process);
}

Ended FaultProject::limited(const QString& limit, const QStringList& arguments) const
{
    QProcess process;
    process.setWorkingDirectory(path());
    process.start("/bin/sh",
                  QStringList{"-c", limit + "; exec \"$0\" \"$@\"", CANNERY_PROGRAM} + arguments,
                  QIODevice::ReadOnly);
    return endOf(process);
}

Ended FaultProject::killedAfter(const QStringList& arguments, int microseconds) const
{
    QProcess process;
    process.setWorkingDirectory(path());
    process.start(CANNERY_PROGRAM, arguments, QIODevice::ReadOnly);
    process.waitForStarted();
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
    process.kill();
    process.waitForFinished();
    Ended ended;
    (process.exitStatus() == QProcess::NormalExit ? ended.exitCode : ended.signal) =
        process.exitCode();
    ended.err = QString::fromUtf8(process.readAllStandardError());
    return ended;
}

QStringList FaultProject::calls(const QStringList& arguments, const QByteArray& kinds) const
{
    QFile::remove(m_kept.filePath("calls.log"));
    const Ended ended = cannery(arguments, {.what = "log", .calls = kinds});
    if (ended.exitCode != 0) {
        qFatal("the undisturbed program failed: %s", ended.describe().constData());
    }
    const QStringList calls = takeCalls();
    if (calls.join("").isEmpty()) {
        qFatal("'%s' makes no such call: nothing would be tried", qPrintable(arguments.join(' ')));
    }
    return calls;
}

QStringList FaultProject::takeCalls() const
{
    QFile log(m_kept.filePath("calls.log"));
    QStringList lines;
    if (log.open(QIODevice::ReadOnly)) {
        for (const QByteArray& line : log.readAll().trimmed().split('\n')) {
            lines.append(QString::fromUtf8(line.mid(line.indexOf(' ') + 1)).remove(path() + "/"));
        }
    }
    log.remove();
    return lines;
}

QStringList FaultProject::trainWords(const QStringList& more)
{
    return QStringList{"train", "faults.cannery", "--quiet",     "--threads",
                       "1",     "--model-dir",    "runs/run-001"} +
           more;
}

QStringList FaultProject::continueWords() const
{
    const storage::RunFiles files(run());
    const bool isDescribed =
        files.isRun() && storage::exists(run() + "/" + std::string(storage::kFrozenExperimentFile));
    return isDescribed ? QStringList{"resume", "runs/run-001", "--quiet", "--threads", "1"}
                       : trainWords();
}

QByteArray atCall(const QStringList& calls, int call, const QByteArray& problem)
{
    const QString where = call <= calls.size() ? calls[call - 1] : QString("(after the last)");
    return "call " + QByteArray::number(call) + ", " + where.toUtf8() + ": " + problem;
}

RunResult RunResult::of(const std::string& runFolder, int step)
{
    RunResult result;
    for (const char* end : {".index", ".data-00000-of-00001"}) {
        const std::string name = "model.ckpt-" + std::to_string(step) + end;
        result.files[name] =
            storage::readWholeFile(storage::joinPath(runFolder, name)).value_or("missing");
    }
    result.evaluations = storage::RunFiles(runFolder).readEvaluations().value_or(
        std::vector<storage::RunEvaluation>());
    return result;
}

QByteArray RunResult::differenceFrom(const RunResult& undisturbed) const
{
    for (const auto& [name, bytes] : undisturbed.files) {
        const auto mine = files.find(name);
        if (bytes == "missing" || mine == files.end() || mine->second != bytes) {
            return "other bits in " + QByteArray::fromStdString(name);
        }
    }
    if (evaluations.empty() || undisturbed.evaluations.empty()) {
        return "no evaluation";
    }
    for (const storage::RunEvaluation& evaluation : evaluations) {
        bool isThere = false;
        for (const storage::RunEvaluation& other : undisturbed.evaluations) {
            isThere = isThere || (other.globalStep == evaluation.globalStep &&
                                  other.metrics == evaluation.metrics);
        }
        if (!isThere) {
            return "another evaluation of step " +
                   QByteArray::number(qint64(evaluation.globalStep));
        }
    }
    return evaluations.back().globalStep == undisturbed.evaluations.back().globalStep
               ? QByteArray()
               : QByteArray("no evaluation at the end");
}

QByteArray checkpointProblem(const std::string& runFolder, int atLeast)
{
    const auto state = storage::readCheckpointState(runFolder);
    if (!state) {
        return QByteArray::fromStdString(state.error().message());
    }
    if (!*state) {
        return atLeast < 0 ? QByteArray() : "no state file";
    }
    for (const std::string& prefix : (*state)->all) {
        const auto reader = storage::CheckpointReader::open(prefix);
        if (!reader) {
            return QByteArray::fromStdString(reader.error().message());
        }
        for (const storage::CheckpointEntry& entry : reader->entries()) {
            if (const auto value = reader->read(entry.name); !value) {
                return QByteArray::fromStdString(value.error().message());
            }
        }
        const auto step = reader->readInt64("global_step");
        if (!step || *step != storage::checkpointStep(prefix)) {
            return QByteArray::fromStdString(prefix) + " is of another step";
        }
    }
    return storage::checkpointStep((*state)->latest).value_or(-1) >= atLeast
               ? QByteArray()
               : "the newest checkpoint is " + QByteArray::fromStdString((*state)->latest);
}

QByteArray storeProblem(const std::string& project)
{
    auto store = storage::RunStore::open(project);
    if (!store) {
        return QByteArray::fromStdString(store.error().message());
    }
    auto check = store->database().prepare("PRAGMA integrity_check");
    if (!check || !check->step().value_or(false) || check->text(0) != "ok") {
        return "the store is damaged";
    }
    const storage::RunFiles files(store->folderOf("run-001"));
    const auto details = store->show("run-001");
    const auto evaluations = files.readEvaluations();
    if (!details || !evaluations || details->status.state != storage::RunState::Finished) {
        return "the store does not know the run's end";
    }
    // One of the same step, repeated after a kill, replaces the one before.
    std::map<std::int64_t, storage::RunEvaluation> latest;
    for (const storage::RunEvaluation& evaluation : *evaluations) {
        latest[evaluation.globalStep] = evaluation;
    }
    for (const storage::RunEvaluation& evaluation : details->evaluations) {
        const auto found = latest.find(evaluation.globalStep);
        if (found == latest.end() || found->second.metrics != evaluation.metrics) {
            return "the store has another evaluation than the run's folder";
        }
        latest.erase(found);
    }
    return latest.empty() ? QByteArray() : QByteArray("the store lacks an evaluation");
}

QStringList straysIn(const QString& folder)
{
    QStringList strays;
    QDirIterator names(folder, QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                       QDirIterator::Subdirectories);
    while (names.hasNext()) {
        const QString path = names.next();
        const QString name = names.fileName();
        const QString whole = path.section(".data-", 0, 0) + ".index";
        if (name.contains(".tmp-") || name.startsWith("temp-") ||
            (name.contains(".data-") && !QFileInfo::exists(whole))) {
            strays.append(path);
        }
    }
    return strays;
}

} // namespace cannery::tests
