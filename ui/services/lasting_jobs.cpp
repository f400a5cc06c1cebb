// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/lasting_jobs.h"

#include "storage/runs/process_identity.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QSaveFile>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <csignal>
#include <utility>

namespace cannery::ui {
namespace {

constexpr int kBetweenLooksMs = 300;

/// A job and where its files are.
struct Lasting
{
    Job job;
    QString subject;
    QString base; ///< path of its files, without ".json", ".out" and ".err"
    qint64 process = 0;
    QString startTime; ///< of the process
    qint64 read = 0;   ///< bytes of its standard error
    QByteArray unread; ///< the unfinished last line
    QString error;     ///< standard error without progress lines
    bool isStopping = false;
};

QByteArray contentsOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool writeNote(const Lasting& lasting)
{
    QSaveFile file(lasting.base + QStringLiteral(".json"));
    const QJsonObject note{{"process", lasting.process},
                           {"start_time", lasting.startTime},
                           {"subject", lasting.subject},
                           {"title", lasting.job.title},
                           {"folder", lasting.job.command.folder},
                           {"arguments", QJsonArray::fromStringList(lasting.job.command.arguments)},
                           {"started_at", lasting.job.startedAt.toMSecsSinceEpoch()}};
    return file.open(QIODevice::WriteOnly) && file.write(QJsonDocument(note).toJson()) > 0 &&
           file.commit();
}

Lasting readNote(const QString& base)
{
    const QJsonObject note =
        QJsonDocument::fromJson(contentsOf(base + QStringLiteral(".json"))).object();
    Lasting lasting{.subject = note["subject"].toString(),
                    .base = base,
                    .process = note["process"].toInteger(),
                    .startTime = note["start_time"].toString()};
    lasting.job.title = note["title"].toString();
    lasting.job.command.folder = note["folder"].toString();
    lasting.job.command.arguments = note["arguments"].toVariant().toStringList();
    lasting.job.startedAt = QDateTime::fromMSecsSinceEpoch(note["started_at"].toInteger());
    return lasting;
}

void removeFiles(const QString& base)
{
    for (const char* suffix : {".json", ".out", ".err"}) {
        QFile::remove(base + QLatin1String(suffix));
    }
}

bool isAlive(const Lasting& lasting)
{
    return storage::isProcessAlive(lasting.process, lasting.startTime.toStdString());
}

void takeLine(Lasting& lasting, const QByteArray& line)
{
    const QJsonObject said = QJsonDocument::fromJson(line).object();
    const QJsonValue progress = said.value(QStringLiteral("progress"));
    if (progress.isDouble()) {
        lasting.job.progress = progress.toDouble();
        lasting.job.message = said.value(QStringLiteral("message")).toString();
    } else {
        lasting.error += QString::fromUtf8(line) + u'\n';
    }
}

/// Whether there was anything new.
bool readOn(Lasting& lasting)
{
    QFile file(lasting.base + QStringLiteral(".err"));
    if (!file.open(QIODevice::ReadOnly) || !file.seek(lasting.read)) {
        return false;
    }
    const QByteArray more = file.readAll();
    lasting.read += more.size();
    lasting.unread += more;
    for (qsizetype end = lasting.unread.indexOf('\n'); end >= 0;
         end = lasting.unread.indexOf('\n')) {
        takeLine(lasting, lasting.unread.left(end));
        lasting.unread.remove(0, end + 1);
    }
    return !more.isEmpty();
}

} // namespace

class LastingJobs::Private
{
public:
    Lasting* runningOf(const QString& subject);
    void add(Lasting lasting);
    void look(LastingJobs& owner);
    void conclude(Lasting& lasting);

    QString m_folder;
    QList<Lasting> m_jobs; ///< newest first
    int m_lastId = 0;
    QTimer m_timer;
};

Lasting* LastingJobs::Private::runningOf(const QString& subject)
{
    const auto found = std::find_if(m_jobs.begin(), m_jobs.end(), [&](const Lasting& one) {
        return one.subject == subject && one.job.state == Job::State::Running;
    });
    return found == m_jobs.end() ? nullptr : &*found;
}

void LastingJobs::Private::add(Lasting lasting)
{
    lasting.job.id = --m_lastId;
    m_jobs.prepend(std::move(lasting));
    m_timer.start(kBetweenLooksMs);
}

/// The process is not a child, so its exit code is not known: what it printed tells.
void LastingJobs::Private::conclude(Lasting& lasting)
{
    readOn(lasting);
    JobRunner::Outcome outcome;
    outcome.output = contentsOf(lasting.base + QStringLiteral(".out"));
    outcome.error = lasting.error + QString::fromUtf8(lasting.unread);
    outcome.json = QJsonDocument::fromJson(outcome.output);
    JobRunner::readError(outcome);
    Job& job = lasting.job;
    const bool hasAnswer = !outcome.json.object().isEmpty() && outcome.errorId.isEmpty();
    if (lasting.isStopping) {
        job.state = Job::State::Cancelled;
        job.message = tr("Stopped; what was trained is kept.");
    } else if (hasAnswer) {
        job.state = Job::State::Finished;
        job.progress = 1;
    } else {
        job.state = Job::State::Failed;
        job.message =
            outcome.sentence.isEmpty() ? tr("The program ended unexpectedly.") : outcome.sentence;
    }
    removeFiles(lasting.base);
}

void LastingJobs::Private::look(LastingJobs& owner)
{
    bool hasNews = false;
    QStringList failures;
    for (Lasting& lasting : m_jobs) {
        if (lasting.job.state != Job::State::Running) {
            continue;
        }
        const bool isOver = !isAlive(lasting); // first: what it printed last is read after its end
        hasNews = readOn(lasting) || hasNews;
        if (isOver) {
            conclude(lasting);
            hasNews = true;
            if (lasting.job.state == Job::State::Failed) {
                failures << lasting.job.message;
            }
        }
    }
    if (owner.runningCount() == 0) {
        m_timer.stop();
    }
    if (hasNews) {
        Q_EMIT owner.changed();
    }
    for (const QString& sentence : failures) {
        Q_EMIT owner.failed(sentence);
    }
}

LastingJobs::LastingJobs(const QString& folder, QObject* parent)
    : QObject(parent), m_private(std::make_unique<Private>())
{
    m_private->m_folder =
        folder.isEmpty() ? QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
                               QStringLiteral("/cannery/jobs")
                         : folder;
    connect(&m_private->m_timer, &QTimer::timeout, this, [this] { m_private->look(*this); });
}

LastingJobs::~LastingJobs() = default;

void LastingJobs::start(const QString& program, const QString& title, const CommandLine& command,
                        const QString& subject)
{
    if (isRunning(subject)) {
        return;
    }
    const QByteArray name =
        QCryptographicHash::hash(subject.toUtf8(), QCryptographicHash::Sha1).toHex();
    Lasting lasting{.subject = subject,
                    .base = m_private->m_folder + u'/' + QString::fromLatin1(name)};
    lasting.job.title = title;
    lasting.job.command = command;
    lasting.job.startedAt = QDateTime::currentDateTime();
    QDir().mkpath(m_private->m_folder);
    removeFiles(lasting.base);
    QProcess process;
    process.setProgram(program);
    process.setArguments(command.allArguments());
    process.setWorkingDirectory(command.folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(lasting.base + QStringLiteral(".out"));
    process.setStandardErrorFile(lasting.base + QStringLiteral(".err"));
    if (!process.startDetached(&lasting.process)) {
        Q_EMIT failed(tr("The program '%1' cannot be started.").arg(program));
        return;
    }
    lasting.startTime = QString::fromStdString(storage::processStartTime(lasting.process));
    if (!writeNote(lasting)) {
        Q_EMIT failed(tr("%1 cannot be written: the next start of the window will not find what "
                         "goes on in the background.")
                          .arg(lasting.base + QStringLiteral(".json")));
    }
    m_private->add(std::move(lasting));
    Q_EMIT changed();
}

void LastingJobs::find(const QString& workingFolder)
{
    const QDir folder(m_private->m_folder);
    const QStringList notes = folder.entryList({QStringLiteral("*.json")}, QDir::Files);
    for (const QString& note : notes) {
        Lasting lasting = readNote(folder.filePath(note).chopped(5));
        if (!lasting.subject.isEmpty() && lasting.job.command.folder == workingFolder &&
            !isRunning(lasting.subject)) {
            m_private->add(std::move(lasting));
            Q_EMIT changed();
        }
    }
    m_private->look(*this);
}

bool LastingJobs::isRunning(const QString& subject) const
{
    return m_private->runningOf(subject) != nullptr;
}

int LastingJobs::runningCount() const
{
    return static_cast<int>(
        std::count_if(m_private->m_jobs.begin(), m_private->m_jobs.end(),
                      [](const Lasting& one) { return one.job.state == Job::State::Running; }));
}

bool LastingJobs::stop(int id)
{
    const auto found = std::find_if(m_private->m_jobs.begin(), m_private->m_jobs.end(),
                                    [&](const Lasting& one) { return one.job.id == id; });
    if (found == m_private->m_jobs.end()) {
        return false;
    }
    if (found->job.state == Job::State::Running && isAlive(*found)) {
        found->isStopping = true;
        ::kill(static_cast<pid_t>(found->process), SIGTERM);
    }
    return true;
}

void LastingJobs::stopAll()
{
    for (const Lasting& lasting : std::as_const(m_private->m_jobs)) {
        stop(lasting.job.id);
    }
}

QList<Job> LastingJobs::jobs() const
{
    QList<Job> jobs;
    for (const Lasting& lasting : m_private->m_jobs) {
        jobs << lasting.job;
    }
    return jobs;
}

void LastingJobs::clearFinished()
{
    m_private->m_jobs.removeIf(
        [](const Lasting& one) { return one.job.state != Job::State::Running; });
    Q_EMIT changed();
}

} // namespace cannery::ui
