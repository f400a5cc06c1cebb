// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "ui/services/job_runner.h"

#include <QFile>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace cannery::ui;
using cannery::tests::kPatience;

class TstJobRunner : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();

    void theAnswerIsGivenAsJson();
    void progressIsReadFromItsLines();
    void aFailureSaysItsSentence();
    void aPlainErrorLineIsASentenceToo();
    void cancellingEndsTheProgram();
    void aProgramThatWillNotEndIsKilled();
    void quietJobsAreNotListed();
    void finishedJobsStayUntilCleared();
    void aProgramThatIsNotThereFails();
    void wordsAreQuotedForAShell();
    void machineWordsAreNotShown();

private:
    void write(const QByteArray& body);
    JobRunner::Outcome run(const QByteArray& body, bool quiet = false);

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<JobRunner> m_jobs;
};

void TstJobRunner::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_jobs = std::make_unique<JobRunner>();
}

void TstJobRunner::write(const QByteArray& body)
{
    const QString path = m_folder->filePath(QStringLiteral("cannery"));
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + body) < 0) {
        qFatal("cannot write a test file");
    }
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_jobs->setProgram(path);
}

JobRunner::Outcome TstJobRunner::run(const QByteArray& body, bool quiet)
{
    write(body);
    std::optional<JobRunner::Outcome> outcome;
    m_jobs->run(
        QStringLiteral("Trying"), {{QStringLiteral("try")}, {}},
        [&](const JobRunner::Outcome& result) { outcome = result; }, quiet);
    if (!QTest::qWaitFor([&] { return outcome.has_value(); }, kPatience)) {
        qFatal("the job never ended");
    }
    return *outcome;
}

void TstJobRunner::theAnswerIsGivenAsJson()
{
    const JobRunner::Outcome outcome = run("echo '{\"a\":' 1 }\necho note >&2\n");
    QVERIFY(outcome.ok);
    QCOMPARE(outcome.json.object().value(QStringLiteral("a")).toInt(), 1);
    QCOMPARE(outcome.error, QStringLiteral("note\n"));
    QVERIFY(outcome.sentence.isEmpty());
}

void TstJobRunner::progressIsReadFromItsLines()
{
    QList<double> seen;
    QStringList messages;
    connect(m_jobs.get(), &JobRunner::changed, this, [&] {
        if (!m_jobs->jobs().isEmpty()) {
            seen << m_jobs->jobs().first().progress;
            messages << m_jobs->jobs().first().message;
        }
    });
    const JobRunner::Outcome outcome =
        run("echo '{\"progress\":0.25,\"message\":\"Reading\"}' >&2\n"
            "echo '{\"progress\":null,\"message\":\"Writing\"}' >&2\n"
            "echo other >&2\n");
    QVERIFY(outcome.ok);
    QVERIFY(seen.contains(0.25) && seen.contains(-1.0));
    QVERIFY(messages.contains(QStringLiteral("Reading")));
    QVERIFY(messages.contains(QStringLiteral("Writing")));
    QCOMPARE(seen.last(), 1.0);
    QCOMPARE(outcome.error, QStringLiteral("other\n"));
}

void TstJobRunner::aFailureSaysItsSentence()
{
    const JobRunner::Outcome outcome =
        run("echo warning >&2\necho '{\"error\":{\"id\":\"csv.bad\",\"sentence\":\"Row 3 is "
            "short.\"}}' >&2\nexit 3\n");
    QVERIFY(!outcome.ok);
    QCOMPARE(outcome.exitCode, 3);
    QCOMPARE(outcome.errorId, QStringLiteral("csv.bad"));
    QCOMPARE(outcome.sentence, QStringLiteral("Row 3 is short."));
    QCOMPARE(m_jobs->jobs().first().state, Job::State::Failed);
    QCOMPARE(m_jobs->jobs().first().message, outcome.sentence);
}

void TstJobRunner::aPlainErrorLineIsASentenceToo()
{
    QCOMPARE(run("echo 'error: No such run.' >&2\nexit 1\n").sentence,
             QStringLiteral("No such run."));
    QVERIFY(!run("exit 1\n").sentence.isEmpty());
}

void TstJobRunner::cancellingEndsTheProgram()
{
    write("exec sleep 1000\n");
    std::optional<JobRunner::Outcome> outcome;
    const int id = m_jobs->run(QStringLiteral("Long"), {{QStringLiteral("try")}, {}},
                               [&](const JobRunner::Outcome& result) { outcome = result; });
    QCOMPARE(m_jobs->runningCount(), 1);
    m_jobs->cancel(id);
    QTRY_VERIFY_WITH_TIMEOUT(outcome, kPatience);
    QVERIFY(outcome->cancelled && !outcome->ok);
    QCOMPARE(m_jobs->jobs().first().state, Job::State::Cancelled);
    QCOMPARE(m_jobs->runningCount(), 0);
}

void TstJobRunner::aProgramThatWillNotEndIsKilled()
{
    write("trap '' TERM\necho '{\"progress\":0,\"message\":\"deaf\"}' >&2\n"
          "while true; do read line < /dev/zero; done\n");
    std::optional<JobRunner::Outcome> outcome;
    const int id = m_jobs->run(QStringLiteral("Deaf"), {{QStringLiteral("try")}, {}},
                               [&](const JobRunner::Outcome& result) { outcome = result; });
    QTRY_COMPARE_WITH_TIMEOUT(m_jobs->jobs().first().message, QStringLiteral("deaf"), kPatience);
    m_jobs->cancel(id);
    QTRY_VERIFY_WITH_TIMEOUT(outcome, kPatience);
    QVERIFY(outcome->cancelled);
    QCOMPARE(outcome->exitCode, -1);
}

void TstJobRunner::quietJobsAreNotListed()
{
    QSignalSpy changed(m_jobs.get(), &JobRunner::changed);
    QVERIFY(run("echo '{\"progress\":0.5,\"message\":\"x\"}' >&2\n", true).ok);
    QVERIFY(m_jobs->jobs().isEmpty());
    QVERIFY(changed.isEmpty());
}

void TstJobRunner::finishedJobsStayUntilCleared()
{
    QSignalSpy finished(m_jobs.get(), &JobRunner::finished);
    run("exit 0\n");
    run("exit 1\n");
    QCOMPARE(m_jobs->jobs().size(), 2);
    QCOMPARE(m_jobs->jobs().first().state, Job::State::Failed);
    QCOMPARE(m_jobs->jobs().last().state, Job::State::Finished);
    QCOMPARE(finished.size(), 2);
    m_jobs->clearFinished();
    QVERIFY(m_jobs->jobs().isEmpty());
}

void TstJobRunner::aProgramThatIsNotThereFails()
{
    m_jobs->setProgram(m_folder->filePath(QStringLiteral("none")));
    std::optional<JobRunner::Outcome> outcome;
    m_jobs->run(QStringLiteral("Trying"), {{QStringLiteral("try")}, {}},
                [&](const JobRunner::Outcome& result) { outcome = result; });
    QVERIFY(!outcome); // never before run() returns
    QTRY_VERIFY_WITH_TIMEOUT(outcome, kPatience);
    QCOMPARE(outcome->exitCode, -1);
    QVERIFY(outcome->sentence.contains(m_jobs->program()));
}

void TstJobRunner::wordsAreQuotedForAShell()
{
    QCOMPARE(shellQuoted(QStringLiteral("a-b_c.d/e")), QStringLiteral("a-b_c.d/e"));
    QCOMPARE(shellQuoted(QString()), QStringLiteral("''"));
    QCOMPARE(shellQuoted(QStringLiteral("it's")), QStringLiteral("'it'\\''s'"));
    QCOMPARE(shellQuoted(QStringLiteral("a=b")), QStringLiteral("'a=b'"));
    QCOMPARE(shellQuoted(QStringLiteral("größe")), QStringLiteral("'größe'"));
}

void TstJobRunner::machineWordsAreNotShown()
{
    const CommandLine command{
        {QStringLiteral("export"), QStringLiteral("run 1")}, {}, {QStringLiteral("--json")}};
    QCOMPARE(command.display(), QStringLiteral("cannery export 'run 1'"));
    QCOMPARE(command.allArguments().size(), 3);
}

CANNERY_TEST(TstJobRunner)
#include "tst_job_runner.moc"
