// SPDX-License-Identifier: GPL-3.0-only
#include "storage/runs/job_note.h"
#include "storage/runs/process_identity.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/lasting_jobs.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::kPatience;
namespace storage = cannery::storage;

namespace {

/// Goes on until a file "end" appears in the working folder, or until it is asked to end.
const QByteArray kUntilTerminated = "trap 'echo \"{\\\"complete\\\": false}\"; exit 143' TERM\n"
                                    "echo '{\"progress\":0.25,\"message\":\"trial 1\"}' >&2\n"
                                    "while [ ! -e end ]; do sleep 0.05; done\n"
                                    "echo '{\"complete\": true}'\n";

} // namespace

class TstLastingJobs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void aJobIsFollowedToItsEnd();
    void aJobGoesOnAndIsFoundAgain();
    void aJobThatEndedMeanwhileIsToldOnce();
    void aFoundJobIsStopped();
    void aFailureSaysItsSentence();
    void oneSubjectHasOneJob();
    void anotherProjectsJobsAreLeftAlone();
    void aProgramThatIsNotThereFails();
    void aSweepInATerminalIsFollowed();
    void aSweepThatDiedInItsTerminalHasFailed();
    void anotherMachinesJobsAreLeftAlone();

private:
    QString path(const QString& name) const { return m_folder->filePath(name); }
    std::unique_ptr<LastingJobs> makeJobs() const
    {
        return std::make_unique<LastingJobs>(path("jobs"));
    }
    void start(LastingJobs& jobs, const QByteArray& body) const;
    void terminateJob() const;
    /// A program that goes on by itself, as in a terminal, and what it notes of itself.
    std::unique_ptr<QProcess> startInTerminal() const;
    storage::JobNote noteOf(const QProcess& process) const;
    std::string notePath() const { return path("jobs/terminal.json").toStdString(); }
    static bool waitFor(const LastingJobs& jobs, Job::State state);

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstLastingJobs::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_folder->path()).mkdir("project"));
}

/// No test leaves a program behind.
void TstLastingJobs::cleanup()
{
    terminateJob();
    const auto jobs = makeJobs();
    jobs->find(path("project"));
    QTRY_COMPARE_WITH_TIMEOUT(jobs->runningCount(), 0, kPatience);
}

void TstLastingJobs::start(LastingJobs& jobs, const QByteArray& body) const
{
    QFile file(path("cannery"));
    if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + body) < 0) {
        qFatal("cannot write a test file");
    }
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    file.close();
    jobs.start(file.fileName(), "Sweeping", {{"sweep", "a.cannery"}, path("project")}, "a.cannery");
}

void TstLastingJobs::terminateJob() const
{
    QFile end(path("project/end"));
    if (!end.open(QIODevice::WriteOnly)) {
        qFatal("cannot write a test file");
    }
}

bool TstLastingJobs::waitFor(const LastingJobs& jobs, Job::State state)
{
    return QTest::qWaitFor(
        [&] { return !jobs.jobs().isEmpty() && jobs.jobs().first().state == state; }, kPatience);
}

void TstLastingJobs::aJobIsFollowedToItsEnd()
{
    const auto jobs = makeJobs();
    start(*jobs, kUntilTerminated);
    QVERIFY(jobs->isRunning("a.cannery"));
    QTRY_COMPARE_WITH_TIMEOUT(jobs->jobs().first().progress, 0.25, kPatience);
    QCOMPARE(jobs->jobs().first().message, QString("trial 1"));
    QVERIFY(jobs->jobs().first().id < 0);
    terminateJob();
    QVERIFY(waitFor(*jobs, Job::State::Finished));
    QCOMPARE(jobs->jobs().first().progress, 1.0);
    jobs->clearFinished();
    QVERIFY(jobs->jobs().isEmpty());
}

void TstLastingJobs::aJobGoesOnAndIsFoundAgain()
{
    auto jobs = makeJobs();
    start(*jobs, kUntilTerminated);
    jobs = makeJobs(); // another window
    QVERIFY(jobs->jobs().isEmpty());
    jobs->find(path("project"));
    QCOMPARE(jobs->runningCount(), 1);
    QCOMPARE(jobs->jobs().first().title, QString("Sweeping"));
    QCOMPARE(jobs->jobs().first().command.arguments, (QStringList{"sweep", "a.cannery"}));
    QTRY_COMPARE_WITH_TIMEOUT(jobs->jobs().first().progress, 0.25, kPatience);
    terminateJob();
    QVERIFY(waitFor(*jobs, Job::State::Finished));
}

void TstLastingJobs::aJobThatEndedMeanwhileIsToldOnce()
{
    auto jobs = makeJobs();
    terminateJob();
    start(*jobs, kUntilTerminated);
    jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(waitFor(*jobs, Job::State::Finished));
    jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(jobs->jobs().isEmpty());
}

void TstLastingJobs::aFoundJobIsStopped()
{
    auto jobs = makeJobs();
    start(*jobs, kUntilTerminated);
    QTRY_COMPARE_WITH_TIMEOUT(jobs->jobs().first().progress, 0.25, kPatience); // it has its trap
    jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(!jobs->stop(7));
    QVERIFY(jobs->stop(jobs->jobs().first().id));
    QVERIFY(waitFor(*jobs, Job::State::Cancelled));
    QVERIFY(!jobs->isRunning("a.cannery"));
}

void TstLastingJobs::aFailureSaysItsSentence()
{
    const auto jobs = makeJobs();
    QSignalSpy failed(jobs.get(), &LastingJobs::failed);
    start(*jobs, "echo '{\"error\":{\"id\":\"sweep.none\",\"sentence\":\"Nothing varies.\"}}' "
                 ">&2\nexit 3\n");
    QVERIFY(waitFor(*jobs, Job::State::Failed));
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed.first().first().toString(), QString("Nothing varies."));
    QCOMPARE(jobs->jobs().first().message, QString("Nothing varies."));
}

void TstLastingJobs::oneSubjectHasOneJob()
{
    const auto jobs = makeJobs();
    start(*jobs, kUntilTerminated);
    start(*jobs, kUntilTerminated);
    QCOMPARE(jobs->jobs().size(), 1);
}

void TstLastingJobs::anotherProjectsJobsAreLeftAlone()
{
    auto jobs = makeJobs();
    start(*jobs, kUntilTerminated);
    jobs = makeJobs();
    jobs->find(path("another"));
    jobs->find({});
    QVERIFY(jobs->jobs().isEmpty());
}

void TstLastingJobs::aProgramThatIsNotThereFails()
{
    const auto jobs = makeJobs();
    QSignalSpy failed(jobs.get(), &LastingJobs::failed);
    jobs->start(path("missing"), "Sweeping", {{"sweep"}, path("project")}, "a.cannery");
    QCOMPARE(failed.size(), 1);
    QVERIFY(jobs->jobs().isEmpty());
}

std::unique_ptr<QProcess> TstLastingJobs::startInTerminal() const
{
    auto process = std::make_unique<QProcess>();
    process->setWorkingDirectory(path("project"));
    process->start("/bin/sh", {"-c", QString::fromUtf8(kUntilTerminated)});
    return process->waitForStarted(kPatience) ? std::move(process) : nullptr;
}

storage::JobNote TstLastingJobs::noteOf(const QProcess& process) const
{
    storage::JobNote note = storage::noteOfThisProcess();
    note.process = process.processId();
    note.startTime = storage::processStartTime(note.process);
    note.subject = "a.cannery";
    note.folder = path("project").toStdString();
    note.arguments = {"sweep", "a.cannery"};
    note.isInTerminal = true;
    return note;
}

void TstLastingJobs::aSweepInATerminalIsFollowed()
{
    const auto process = startInTerminal();
    QVERIFY(process != nullptr);
    storage::JobNote note = noteOf(*process);
    QVERIFY(storage::writeJobNote(notePath(), note));
    const auto jobs = makeJobs();
    jobs->find(path("project/../project")); // as it may be spelled
    QCOMPARE(jobs->runningCount(), 1);
    QVERIFY(jobs->isRunning("a.cannery"));
    QCOMPARE(jobs->jobs().first().command.arguments, (QStringList{"sweep", "a.cannery"}));
    jobs->find(path("project"));
    QCOMPARE(jobs->jobs().size(), 1);
    note.progress = 0.5;
    note.message = "trial 2";
    QVERIFY(storage::writeJobNote(notePath(), note));
    QTRY_COMPARE_WITH_TIMEOUT(jobs->jobs().first().progress, 0.5, kPatience);
    QCOMPARE(jobs->jobs().first().message, QString("trial 2"));
    QVERIFY(QFile::remove(QString::fromStdString(notePath())));
    terminateJob();
    QVERIFY(process->waitForFinished(kPatience));
    QVERIFY(waitFor(*jobs, Job::State::Finished));
    QCOMPARE(jobs->jobs().first().progress, 1.0);
}

void TstLastingJobs::aSweepThatDiedInItsTerminalHasFailed()
{
    const auto process = startInTerminal();
    QVERIFY(process != nullptr);
    QVERIFY(storage::writeJobNote(notePath(), noteOf(*process)));
    process->kill();
    QVERIFY(process->waitForFinished(kPatience));
    auto jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(waitFor(*jobs, Job::State::Failed));
    jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(jobs->jobs().isEmpty());
}

void TstLastingJobs::anotherMachinesJobsAreLeftAlone()
{
    const auto process = startInTerminal();
    QVERIFY(process != nullptr);
    storage::JobNote note = noteOf(*process);
    note.machine += "-other";
    QVERIFY(storage::writeJobNote(notePath(), note));
    const auto jobs = makeJobs();
    jobs->find(path("project"));
    QVERIFY(jobs->jobs().isEmpty());
    QVERIFY(QFile::exists(QString::fromStdString(notePath())));
    terminateJob();
    QVERIFY(process->waitForFinished(kPatience));
}

CANNERY_TEST(TstLastingJobs)
#include "tst_lasting_jobs.moc"
