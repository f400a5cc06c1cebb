// SPDX-License-Identifier: Apache-2.0
#include "storage/io/files.h"
#include "storage/runs/process_identity.h"
#include "storage/runs/run_files.h"
#include "storage/runs/run_lock.h"
#include "storage/tf/checkpoints/checkpoint_state.h"
#include "tests/core/train/training_fixture.h"
#include "tests/faults/fault_project.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QProcess>

#include <csignal>
#include <fstream>
#include <unistd.h>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::train;

namespace {

/// Its wall time jumps at regular intervals of calls; its steady time does not.
class JumpingClock final : public Clock
{
public:
    JumpingClock(double jump, bool back) : m_jump(jump), m_back(back) {}

    double wallTime() const override
    {
        constexpr int kQuestionsBetween = 7;
        ++m_questions;
        const int jumps = m_questions / kQuestionsBetween;
        // Forward and back again, or further back each time.
        const double away = m_back ? -m_jump * jumps : (jumps % 2 == 0 ? 0.0 : m_jump);
        return systemClock().wallTime() + away;
    }
    double steadyTime() const override { return systemClock().steadyTime(); }

private:
    double m_jump;
    bool m_back;
    mutable std::atomic<int> m_questions{0};
};

constexpr const char* kShort =
    "train_spec { max_steps: 12 } eval_spec { throttle_secs: 0 } "
    "run_config { save_checkpoints_steps: 3 keep_checkpoint_max: 2 save_summary_steps: 2 }";

void writeLock(const std::string& folder, long process, const char* boot)
{
    QVERIFY(storage::makeFolders(folder).has_value());
    std::ofstream(folder + "/run.lock")
        << "pid " << process << "\nstart_time 1\nboot_id " << boot << "\nhost elsewhere\n";
}

} // namespace

/// Wrong information about the owner of a run, and about the time.
class TstLocksAndClocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void secondEngineIsSentAwayAndSpoilsNothing();
    void deadOwnerKeepsNobodyOut_data();
    void deadOwnerKeepsNobodyOut();
    void processNumberThatWasReusedIsAnother();
    void clockMayJump_data();
    void clockMayJump();
};

void TstLocksAndClocks::secondEngineIsSentAwayAndSpoilsNothing()
{
    const FaultProject project;
    QProcess first;
    first.setWorkingDirectory(project.path());
    first.start(CANNERY_PROGRAM,
                FaultProject::trainWords({"--set", "train_spec.max_steps=100000000", "--set",
                                          "run_config.save_checkpoints_steps=200"}));
    QVERIFY(first.waitForStarted());
    QTRY_VERIFY_WITH_TIMEOUT(storage::latestCheckpoint(project.run()).value_or(std::nullopt),
                             60000);
    for (const QStringList& words :
         {FaultProject::trainWords(), QStringList{"resume", "runs/run-001", "--quiet"}}) {
        const Ended second = project.cannery(words);
        QVERIFY2(second.exitCode == 1 && second.err.contains("is being trained by process " +
                                                             QString::number(first.processId())),
                 second.describe().constData());
    }
    QCOMPARE(first.state(), QProcess::Running);
    const auto owner = storage::RunLock::owner(project.run());
    QVERIFY(owner && owner->processId == first.processId());
    first.kill();
    QVERIFY(first.waitForFinished());
    QVERIFY(!storage::RunLock::owner(project.run()));
    const qint64 step =
        storage::checkpointStep(*storage::latestCheckpoint(project.run()).value()).value();
    const Ended resumed = project.cannery(
        {"resume", "runs/run-001", "--quiet", "--max-steps", QString::number(step + 100)});
    QVERIFY2(resumed.exitCode == 0, resumed.describe().constData());
}

void TstLocksAndClocks::deadOwnerKeepsNobodyOut_data()
{
    QTest::addColumn<long>("process");
    QTest::addColumn<QByteArray>("boot");
    QTest::newRow("a process that is gone") << 4194000L << QByteArray("this");
    QTest::newRow("its number is another's now") << static_cast<long>(getpid()) << QByteArray("x");
    QTest::newRow("before the machine was started again") << 1L << QByteArray("00000000-0000");
    QTest::newRow("nonsense") << -7L << QByteArray("\xff\xfe");
}

void TstLocksAndClocks::deadOwnerKeepsNobodyOut()
{
    QFETCH(long, process);
    QFETCH(QByteArray, boot);
    const TrainingFixture fixture;
    writeLock(fixture.modelDir(), process, boot.constData());
    QVERIFY(!storage::RunLock::owner(fixture.modelDir()));
    VERIFY_OK(trainAndEvaluate(fixture.request(kShort)));
    const auto lock = storage::RunLock::acquire(fixture.modelDir());
    VERIFY_OK(lock);
    QCOMPARE(storage::RunLock::owner(fixture.modelDir())->processId, getpid());
    VERIFY_ERROR(trainAndEvaluate(fixture.request(kShort)), "run.locked");
}

void TstLocksAndClocks::processNumberThatWasReusedIsAnother()
{
    const std::string mine = storage::processStartTime(getpid());
    QVERIFY(storage::isProcessAlive(getpid(), mine));
    QVERIFY(!storage::isProcessAlive(getpid(), "1" + mine));
    QVERIFY(!storage::isProcessAlive(getpid(), mine.substr(0, mine.find('@')) + "@another-boot"));
    QVERIFY(!storage::isProcessAlive(0, mine));
    QVERIFY(!storage::isProcessAlive(-1, mine));
}

void TstLocksAndClocks::clockMayJump_data()
{
    constexpr double kTenYears = 10 * 365.25 * 86400;
    QTest::addColumn<double>("jump");
    QTest::addColumn<bool>("back");
    QTest::addColumn<QByteArray>("more");
    const QByteArray hours = "run_config { keep_checkpoint_every_n_hours: 1 }";
    const QByteArray seconds = "run_config { save_checkpoints_secs: 1 save_checkpoints_steps: 0 }";
    QTest::newRow("ten years forward and back") << kTenYears << false << QByteArray();
    QTest::newRow("ten years forward, one kept every hour") << kTenYears << false << hours;
    QTest::newRow("back again and again") << 3600.0 << true << QByteArray();
    QTest::newRow("to before 1970") << 3 * kTenYears << true << hours;
    QTest::newRow("saves by the second") << kTenYears << false << seconds;
}

void TstLocksAndClocks::clockMayJump()
{
    QFETCH(double, jump);
    QFETCH(bool, back);
    QFETCH(QByteArray, more);
    const TrainingFixture undisturbed;
    VERIFY_OK(trainAndEvaluate(undisturbed.request(kShort)));
    const TrainingFixture fixture;
    const JumpingClock clock(jump, back);
    TrainRequest request = fixture.request(kShort, more.toStdString());
    request.clock = &clock;
    const auto report = trainAndEvaluate(request);
    VERIFY_OK(report);
    QVERIFY(report->warnings.empty());
    QCOMPARE(report->outcome.globalStep, 12);
    QVERIFY(report->evaluation.has_value());
    const std::string name = "/model.ckpt-12.data-00000-of-00001";
    QCOMPARE(TrainingFixture::bytes(fixture.modelDir() + name),
             TrainingFixture::bytes(undisturbed.modelDir() + name));
    const QByteArray problem = checkpointProblem(fixture.modelDir(), 12);
    QVERIFY2(problem.isEmpty(), problem.constData());
    VERIFY_OK(storage::RunFiles(fixture.modelDir()).readStatus());
    VERIFY_OK(storage::RunFiles(fixture.modelDir()).readEvaluations());
}

CANNERY_TEST(TstLocksAndClocks)
#include "tst_locks_and_clocks.moc"
