// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/job_runner.h"

#include "ui/document/background.h"

#include <QCoreApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <unordered_map>

namespace cannery::ui {
namespace {

constexpr int kPatienceMs = 3000;

/// A running job, in addition to its row in the list.
struct RunningJob
{
    std::unique_ptr<QProcess> process;
    JobRunner::Done done;
    JobRunner::Outcome outcome;
    QByteArray unread; ///< the unfinished last line of standard error
    bool quiet = false;
};

/// The object in `{"error":{…}}`; empty if there is none.
QJsonObject errorIn(const QByteArray& text)
{
    return QJsonDocument::fromJson(text).object().value(QStringLiteral("error")).toObject();
}

} // namespace

class JobRunner::Private
{
public:
    explicit Private(JobRunner* owner) : m_owner(owner) {}

    Job* find(int id);
    void readErrorStream(int id);
    void takeLine(int id, const QByteArray& line);
    void finish(int id, bool crashed);
    void complete(int id, const QJsonDocument& json);
    void reportFinished(int id);

    JobRunner* m_owner;
    QString m_program;
    int m_lastId = 0;
    QList<Job> m_jobs;
    std::unordered_map<int, RunningJob> m_running;
    QThreadPool m_parser; ///< what a wide table needs decided is megabytes of JSON
};

Job* JobRunner::Private::find(int id)
{
    const auto found =
        std::find_if(m_jobs.begin(), m_jobs.end(), [&](const Job& job) { return job.id == id; });
    return found == m_jobs.end() ? nullptr : &*found;
}

void JobRunner::Private::reportFinished(int id)
{
    if (find(id)) {
        Q_EMIT m_owner->changed();
    }
}

void JobRunner::Private::readErrorStream(int id)
{
    RunningJob& running = m_running.at(id);
    running.unread += running.process->readAllStandardError();
    qsizetype begin = 0;
    for (qsizetype end = running.unread.indexOf('\n'); end >= 0;
         end = running.unread.indexOf('\n', begin)) {
        takeLine(id, running.unread.mid(begin, end - begin));
        begin = end + 1;
    }
    running.unread.remove(0, begin);
}

void JobRunner::Private::takeLine(int id, const QByteArray& line)
{
    const QJsonObject report = QJsonDocument::fromJson(line).object();
    const QJsonValue progress = report.value(QStringLiteral("progress"));
    // A step without a known share has a null progress. Any other line is part of what went wrong.
    if (!progress.isDouble() && !progress.isNull()) {
        m_running.at(id).outcome.error += QString::fromUtf8(line) + u'\n';
        return;
    }
    if (Job* job = find(id)) {
        job->progress = progress.toDouble(-1);
        job->message = report.value(QStringLiteral("message")).toString();
        reportFinished(id);
    }
}

void JobRunner::Private::finish(int id, bool crashed)
{
    readErrorStream(id);
    RunningJob& running = m_running.at(id);
    running.process->disconnect();
    running.outcome.output = running.process->readAllStandardOutput();
    running.outcome.error += QString::fromUtf8(running.unread);
    running.outcome.exitCode = crashed ? -1 : running.process->exitCode();
    // Until it is parsed, the job counts as running: `done` sees an outcome that is whole.
    inBackground(
        m_parser, m_owner,
        [output = running.outcome.output] { return QJsonDocument::fromJson(output); },
        [this, id](const QJsonDocument& json) { complete(id, json); });
}

void JobRunner::Private::complete(int id, const QJsonDocument& json)
{
    const auto found = m_running.find(id);
    // Moved out first: a receiver may start or cancel jobs.
    RunningJob running = std::move(found->second);
    m_running.erase(found);
    Outcome& outcome = running.outcome;
    outcome.json = json;
    outcome.ok = !outcome.cancelled && outcome.exitCode == 0;
    if (outcome.cancelled) {
        outcome.sentence = tr("Cancelled.");
    } else if (!outcome.ok) {
        readError(outcome);
        if (outcome.sentence.isEmpty()) {
            outcome.sentence = running.process->error() == QProcess::FailedToStart
                                   ? tr("The program '%1' cannot be started.").arg(m_program)
                                   : tr("The program ended unexpectedly.");
        }
    }
    if (Job* job = find(id)) {
        job->state = outcome.ok          ? Job::State::Finished
                     : outcome.cancelled ? Job::State::Cancelled
                                         : Job::State::Failed;
        job->progress = outcome.ok ? 1 : job->progress;
        job->message = outcome.ok ? job->message : outcome.sentence;
        reportFinished(id);
        Q_EMIT m_owner->finished(id);
    }
    if (running.done) {
        running.done(outcome);
    }
}

JobRunner::JobRunner(QObject* parent) : QObject(parent), m_private(std::make_unique<Private>(this))
{
    m_private->m_program = findProgram();
}

JobRunner::~JobRunner()
{
    for (auto& [id, running] : m_private->m_running) {
        // Its callbacks belong to objects that may be gone already.
        running.process->disconnect();
        running.process->kill();
        running.process->waitForFinished(kPatienceMs);
    }
    m_private->m_parser.waitForDone();
}

void JobRunner::setProgram(const QString& path)
{
    m_private->m_program = path;
}

QString JobRunner::program() const
{
    return m_private->m_program;
}

int JobRunner::run(const QString& title, const CommandLine& command, Done done, bool quiet)
{
    const int id = ++m_private->m_lastId;
    if (!quiet) {
        Job job;
        job.id = id;
        job.title = title;
        job.command = command;
        job.startedAt = QDateTime::currentDateTime();
        m_private->m_jobs.prepend(job);
    }
    RunningJob& running = m_private->m_running[id];
    running.process = std::make_unique<QProcess>();
    running.done = std::move(done);
    running.quiet = quiet;
    QProcess* process = running.process.get();
    if (!command.folder.isEmpty()) {
        process->setWorkingDirectory(command.folder);
    }
    // A command that waits for an answer would wait forever.
    process->setStandardInputFile(QProcess::nullDevice());
    connect(process, &QProcess::readyReadStandardError, this,
            [this, id] { m_private->readErrorStream(id); });
    connect(process, &QProcess::finished, this, [this, id](int, QProcess::ExitStatus status) {
        m_private->finish(id, status == QProcess::CrashExit);
    });
    // Queued, since start() may fail at once, and `done` must not be called before run() returns.
    connect(
        process, &QProcess::errorOccurred, this,
        [this, id](QProcess::ProcessError error) {
            if (error == QProcess::FailedToStart) {
                m_private->finish(id, true);
            }
        },
        Qt::QueuedConnection);
    process->start(m_private->m_program, command.allArguments());
    m_private->reportFinished(id);
    return id;
}

void JobRunner::cancel(int id)
{
    const auto found = m_private->m_running.find(id);
    if (found == m_private->m_running.end()) {
        return;
    }
    found->second.outcome.cancelled = true;
    QProcess* process = found->second.process.get();
    process->terminate();
    // The process is the timer's context: once it has ended, nothing is killed.
    QTimer::singleShot(kPatienceMs, process, [process] { process->kill(); });
}

void JobRunner::clearFinished()
{
    m_private->m_jobs.removeIf([](const Job& job) { return job.state != Job::State::Running; });
    Q_EMIT changed();
}

void JobRunner::waitForDone(int milliseconds)
{
    QElapsedTimer clock;
    clock.start();
    for (auto& [id, running] : m_private->m_running) {
        running.process->disconnect();
        running.process->waitForFinished(
            std::max(0, milliseconds - static_cast<int>(clock.elapsed())));
    }
}

QList<Job> JobRunner::jobs() const
{
    return m_private->m_jobs;
}

int JobRunner::runningCount() const
{
    return static_cast<int>(
        std::count_if(m_private->m_jobs.begin(), m_private->m_jobs.end(),
                      [](const Job& job) { return job.state == Job::State::Running; }));
}

void JobRunner::readError(Outcome& outcome)
{
    QJsonObject error = errorIn(outcome.output);
    const QStringList lines = outcome.error.split(u'\n', Qt::SkipEmptyParts);
    // From the end: warnings may precede the error.
    for (auto line = lines.rbegin(); error.isEmpty() && line != lines.rend(); ++line) {
        error = errorIn(line->toUtf8());
    }
    outcome.errorId = error.value(QStringLiteral("id")).toString();
    outcome.sentence = error.value(QStringLiteral("sentence")).toString();
    const QJsonArray arguments = error.value(QStringLiteral("arguments")).toArray();
    for (const QJsonValue& argument : arguments) {
        outcome.errorArguments << argument.toVariant().toString();
    }
    if (outcome.sentence.isEmpty() && !lines.isEmpty()) {
        outcome.sentence = lines.last().trimmed();
        if (outcome.sentence.startsWith(QLatin1String("error: "))) {
            outcome.sentence.remove(0, 7);
        }
    }
}

QString JobRunner::findProgram()
{
    const QString chosen = qEnvironmentVariable("CANNERY_PROGRAM");
    if (!chosen.isEmpty()) {
        return chosen;
    }
    const QDir here(QCoreApplication::applicationDirPath());
    // Side by side when installed, in sister folders in a build.
    for (const char* place : {"cannery", "../cannery/cannery"}) {
        const QFileInfo candidate(here, QLatin1String(place));
        if (candidate.isFile() && candidate.isExecutable()) {
            return candidate.canonicalFilePath();
        }
    }
    const QString found = QStandardPaths::findExecutable(QStringLiteral("cannery"));
    return found.isEmpty() ? QStringLiteral("cannery") : found;
}

} // namespace cannery::ui
