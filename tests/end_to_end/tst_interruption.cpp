// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QRegularExpression>
#include <QTest>

#include <csignal>

using namespace cannery::tests;

/// A stopped or killed run resumes and ends with the bits of an undisturbed one.
class TstInterruption : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void signalSavesAndResumeGoesOn_data();
    void signalSavesAndResumeGoesOn();
    void killCostsNoBits();

private:
    static constexpr qint64 kEndless = 1000000000;
    static constexpr qint64 kStepsAfterwards = 3000;

    QStringList train(const QString& folder, qint64 maxSteps) const;
    /// Starts an endless training and waits until it has saved past the step.
    std::unique_ptr<QProcess> startAndWaitFor(const ProjectFixture& project, const QString& folder,
                                              qint64 step) const;
    qint64 latestStep(const ProjectFixture& project, const QString& folder) const;
    QByteArray weights(const ProjectFixture& project, const QString& folder, qint64 step) const;
    /// Resumes for some steps; the same steps in one run must give the same bits.
    void compareWithUndisturbed(const ProjectFixture& project, const QString& folder) const;
};

QStringList TstInterruption::train(const QString& folder, qint64 maxSteps) const
{
    return {"train",
            "fixture.cannery",
            "--quiet",
            "--model-dir",
            folder,
            "--set",
            QString("train_spec.max_steps=%1").arg(maxSteps),
            "--set",
            "run_config.save_checkpoints_steps=1000"};
}

qint64 TstInterruption::latestStep(const ProjectFixture& project, const QString& folder) const
{
    static const QRegularExpression kLatest("^model_checkpoint_path: \".*model\\.ckpt-(\\d+)\"");
    const QRegularExpressionMatch match =
        kLatest.match(QString::fromUtf8(project.read(folder + "/checkpoint")));
    return match.hasMatch() ? match.captured(1).toLongLong() : -1;
}

QByteArray TstInterruption::weights(const ProjectFixture& project, const QString& folder,
                                    qint64 step) const
{
    return project.read(QString("%1/model.ckpt-%2.data-00000-of-00001").arg(folder).arg(step));
}

std::unique_ptr<QProcess> TstInterruption::startAndWaitFor(const ProjectFixture& project,
                                                           const QString& folder, qint64 step) const
{
    std::unique_ptr<QProcess> process = project.start(train(folder, kEndless));
    if (!QTest::qWaitFor(
            [&] {
                return project.exists(folder + "/checkpoint") && latestStep(project, folder) > step;
            },
            kPatience)) {
        return nullptr;
    }
    return process;
}

void TstInterruption::compareWithUndisturbed(const ProjectFixture& project,
                                             const QString& folder) const
{
    const qint64 last = latestStep(project, folder) + kStepsAfterwards;
    QCOMPARE(project.run(train(folder, last)).exitCode, 0);
    QCOMPARE(project.run(train("whole", last)).exitCode, 0);
    QVERIFY(!weights(project, "whole", last).isEmpty());
    QCOMPARE(weights(project, folder, last), weights(project, "whole", last));
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
    const std::unique_ptr<QProcess> process = startAndWaitFor(project, "stopped", 0);
    QVERIFY(process);
    kill(static_cast<pid_t>(process->processId()), signal);
    QVERIFY(process->waitForFinished(kPatience));
    QCOMPARE(process->exitStatus(), QProcess::NormalExit);
    QCOMPARE(process->exitCode(), exitCode);
    compareWithUndisturbed(project, "stopped");
}

void TstInterruption::killCostsNoBits()
{
    const ProjectFixture project;
    qint64 step = 0;
    for (int kill = 0; kill < 3; ++kill) {
        const std::unique_ptr<QProcess> process = startAndWaitFor(project, "killed", step);
        QVERIFY(process);
        process->kill();
        QVERIFY(process->waitForFinished(kPatience));
        step = latestStep(project, "killed");
    }
    compareWithUndisturbed(project, "killed");
}

CANNERY_TEST(TstInterruption)
#include "tst_interruption.moc"
