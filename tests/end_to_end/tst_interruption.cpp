#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <csignal>

using namespace cannery::tests;

/// A run that was stopped or killed goes on and ends in the bits of an undisturbed one.
class TstInterruption : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void signalSavesAndResumeGoesOn_data();
    void signalSavesAndResumeGoesOn();
    void killCostsNoBits();

private:
    static constexpr int kSteps = 20000;
    QStringList train(const QString& folder) const;
    QByteArray result(const ProjectFixture& project, const QString& folder) const;
};

QStringList TstInterruption::train(const QString& folder) const
{
    return {"train",
            "fixture.cannery",
            "--quiet",
            "--model-dir",
            folder,
            "--set",
            QString("train_spec.max_steps=%1").arg(kSteps),
            "--set",
            "run_config.save_checkpoints_steps=1000"};
}

QByteArray TstInterruption::result(const ProjectFixture& project, const QString& folder) const
{
    return project.read(QString("%1/model.ckpt-%2.data-00000-of-00001").arg(folder).arg(kSteps));
}

void TstInterruption::signalSavesAndResumeGoesOn_data()
{
    QTest::addColumn<int>("signal");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("Ctrl-C") << SIGINT << 130;
    QTest::newRow("SIGTERM") << SIGTERM << 143;
}

void TstInterruption::signalSavesAndResumeGoesOn()
{
    QFETCH(int, signal);
    QFETCH(int, exitCode);
    const ProjectFixture project;
    QCOMPARE(project.run(train("whole")).exitCode, 0);
    const std::unique_ptr<QProcess> process = project.start(train("stopped"));
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("stopped/model.ckpt-1000.index"), 30000);
    kill(static_cast<pid_t>(process->processId()), signal);
    QVERIFY(process->waitForFinished(30000));
    QCOMPARE(process->exitStatus(), QProcess::NormalExit);
    QCOMPARE(process->exitCode(), exitCode);
    QVERIFY(!project.exists(QString("stopped/model.ckpt-%1.index").arg(kSteps)));
    QCOMPARE(project.run(train("stopped")).exitCode, 0);
    QVERIFY(!result(project, "whole").isEmpty());
    QCOMPARE(result(project, "stopped"), result(project, "whole"));
}

void TstInterruption::killCostsNoBits()
{
    const ProjectFixture project;
    QCOMPARE(project.run(train("whole")).exitCode, 0);
    for (const int after : {1000, 5000, 9000}) {
        const std::unique_ptr<QProcess> process = project.start(train("killed"));
        const QString checkpoint = QString("killed/model.ckpt-%1.index").arg(after);
        QTRY_VERIFY_WITH_TIMEOUT(project.exists(checkpoint), 30000);
        process->kill();
        QVERIFY(process->waitForFinished(30000));
    }
    QCOMPARE(project.run(train("killed")).exitCode, 0);
    QVERIFY(!result(project, "whole").isEmpty());
    QCOMPARE(result(project, "killed"), result(project, "whole"));
}

CANNERY_TEST(TstInterruption)
#include "tst_interruption.moc"
