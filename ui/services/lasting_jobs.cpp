// SPDX-License-Identifier: GPL-3.0-only
#include "ui/services/lasting_jobs.h"

#include "storage/runs/job_note.h"
#include "storage/runs/process_identity.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QTimer>

#include <algorithm>
#include <csignal>
#include <optional>
#include <string>
#include <utility>

namespace cannery::ui {
namespace {

constexpr int kBetweenLooksMs = 300;

/// A job and where its files are.
struct Lasting
{
    Job job;
    storage::JobNote note;
    QString base;      ///< path of its files, without ".json", ".out" and ".err"
    qint64 read = 0;   ///< bytes of its standard error
    QByteArray unread; ///< the unfinished last line
    QString error;     ///< standard error without progress lines
    bool isStopping = false;

    QString noteFile() const { return base + QStringLiteral(".json"); }
};

std::string bytesOf(const QString& text)
{
    return QFile::encodeName(text).toStdString();
}

QString textOf(const std::string& bytes)
{
    return QFile::decodeName(QByteArray::fromStdString(bytes));
}

QByteArray contentsOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::optional<Lasting> readNote(const QString& base)
{
    Lasting lasting{.base = base};
    const auto note = storage::readJobNote(bytesOf(lasting.noteFile()));
    if (!note || note->subject.empty()) {
        return std::nullopt;
    }
    lasting.note = *note;
    lasting.job.title =
        note->isInTerminal ? LastingJobs::tr("Sweeping in a terminal") : textOf(note->title);
    lasting.job.command.folder = textOf(note->folder);
    for (const std::string& argument : note->arguments) {
        lasting.job.command.arguments << textOf(argument);
    }
    lasting.job.startedAt = QDateTime::fromMSecsSinceEpoch(note->startedAt);
    return lasting;
}

void removeFiles(const QString& base)
{
    for (const char* suffix : {".json", ".out", ".err"}) {
        QFile::remove(base + QLatin1String(suffix));
    }
}

void takeLine(Lasting& lasting, const QByteArray& line)
{
    const QJsonObject report = QJsonDocument::fromJson(line).object();
    const QJsonValue progress = report.value(QStringLiteral("progress"));
    if (progress.isDouble()) {
        lasting.job.progress = progress.toDouble();
        lasting.job.message = report.value(QStringLiteral("message")).toString();
    } else {
        lasting.error += QString::fromUtf8(line) + u'\n';
    }
}

/// The progress that a job in a terminal notes; whether it is new.
bool readProgress(Lasting& lasting)
{
    const auto note = storage::readJobNote(bytesOf(lasting.noteFile()));
    if (!note || (note->progress == lasting.job.progress &&
                  QString::fromStdString(note->message) == lasting.job.message)) {
        return false;
    }
    lasting.job.progress = note->progress;
    lasting.job.message = QString::fromStdString(note->message);
    return true;
}

/// Whether there was anything new.
bool readOn(Lasting& lasting)
{
    if (lasting.note.isInTerminal) {
        return readProgress(lasting);
    }
    // Opened anew each time: nothing is held between two looks.
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
        return textOf(one.note.subject) == subject && one.job.state == Job::State::Running;
    });
    return found == m_jobs.end() ? nullptr : &*found;
}

void LastingJobs::Private::add(Lasting lasting)
{
    // Below 0, so that they are not mistaken for those of JobRunner in one list.
    lasting.job.id = --m_lastId;
    m_jobs.prepend(std::move(lasting));
    m_timer.start(kBetweenLooksMs);
}

/// The process is not a child, so its exit code is not known. What it printed decides, or, for one
/// in a terminal, whether it has removed its note.
void LastingJobs::Private::conclude(Lasting& lasting)
{
    readOn(lasting);
    const bool hasEndedInTerminal = lasting.note.isInTerminal && !QFile::exists(lasting.noteFile());
    JobRunner::Outcome outcome;
    outcome.output = contentsOf(lasting.base + QStringLiteral(".out"));
    outcome.error = lasting.error + QString::fromUtf8(lasting.unread);
    outcome.json = QJsonDocument::fromJson(outcome.output);
    JobRunner::readError(outcome);
    Job& job = lasting.job;
    // The answer is one JSON object: what was cut off does not parse, and an error has an id.
    const bool hasAnswer = !outcome.json.object().isEmpty() && outcome.errorId.isEmpty();
    if (lasting.isStopping) {
        job.state = Job::State::Cancelled;
        job.message = tr("Stopped; what was trained is kept.");
    } else if (hasEndedInTerminal) {
        job.state = Job::State::Finished;
        job.progress = 1;
        job.message = tr("It has ended; its terminal shows the results.");
    } else if (hasAnswer) {
        job.state = Job::State::Finished;
        job.progress = 1;
    } else {
        job.state = Job::State::Failed;
        job.message =
            outcome.sentence.isEmpty() ? tr("The program ended unexpectedly.") : outcome.sentence;
    }
    // Found once: the next start of a window must not report it again.
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
        // First: what it printed last is read after its end.
        const bool isOver = !lasting.note.isAlive().value_or(true);
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
    Lasting lasting{.note = storage::noteOfThisProcess(),
                    .base = m_private->m_folder + u'/' + QString::fromLatin1(name)};
    lasting.job.title = title;
    lasting.job.command = command;
    lasting.job.startedAt = QDateTime::currentDateTime();
    QDir().mkpath(m_private->m_folder);
    // What an earlier job for this subject has printed must not be taken for this one's.
    removeFiles(lasting.base);
    QProcess process;
    process.setProgram(program);
    process.setArguments(command.allArguments());
    process.setWorkingDirectory(command.folder);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(lasting.base + QStringLiteral(".out"));
    process.setStandardErrorFile(lasting.base + QStringLiteral(".err"));
    qint64 id = 0;
    if (!process.startDetached(&id)) {
        Q_EMIT failed(tr("The program '%1' cannot be started.").arg(program));
        return;
    }
    storage::JobNote& note = lasting.note;
    note.process = id;
    // With the start time, a process number that was given away again is not mistaken for it.
    note.startTime = storage::processStartTime(id);
    note.subject = bytesOf(subject);
    note.folder = bytesOf(command.folder);
    for (const QString& argument : command.arguments) {
        note.arguments.push_back(bytesOf(argument));
    }
    note.title = bytesOf(title);
    // The job runs already. Only its being found again is lost, which is a warning.
    if (!storage::writeJobNote(bytesOf(lasting.noteFile()), note)) {
        Q_EMIT failed(tr("%1 cannot be written: the next start of the window will not find what "
                         "goes on in the background.")
                          .arg(lasting.noteFile()));
    }
    m_private->add(std::move(lasting));
    Q_EMIT changed();
}

void LastingJobs::find(const QString& workingFolder)
{
    const QDir folder(m_private->m_folder);
    const QString place = QFileInfo(workingFolder).canonicalFilePath();
    const QStringList notes = folder.entryList({QStringLiteral("*.json")}, QDir::Files);
    for (const QString& file : notes) {
        std::optional<Lasting> found = readNote(folder.filePath(file).chopped(5));
        // A value, true or false: a job that has ended is added too, and look() reports its end. Of
        // another machine's nothing is known.
        if (!place.isEmpty() && found && found->note.isAlive() &&
            QFileInfo(found->job.command.folder).canonicalFilePath() == place &&
            !isRunning(textOf(found->note.subject))) {
            m_private->add(*std::move(found));
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
    // Asked right before the signal: the number may belong to another process by now.
    if (found->job.state == Job::State::Running && found->note.isAlive().value_or(false)) {
        found->isStopping = true;
        ::kill(static_cast<pid_t>(found->note.process), SIGTERM);
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
