// SPDX-License-Identifier: Apache-2.0
#include "tests/core/coordinator/test_cluster.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

namespace {

/// Counts the calls of a member's onBroken, and remembers the last generation.
struct BrokenCounter
{
    std::atomic<int> calls = 0;
    std::atomic<std::int64_t> generation = 0;

    std::function<void(std::int64_t)> callback()
    {
        return [this](std::int64_t number) {
            generation = number;
            ++calls;
        };
    }
};

} // namespace

/// A coordinator and its members, over real connections.
class TstCoordinator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everybodyGetsTheSameGeneration_data();
    void everybodyGetsTheSameGeneration();
    void aTaskThatLostAPeerJustJoinsAgain();
    void aRestartedTaskBringsEverybodyToTheNextGeneration();
    void aLostConnectionIsNoticedByTheOthers();
    void tasksThatDoNotHearEachOtherConnectAnew();
    void membersRegisterAgainAtARestartedCoordinator();
    void whoWaitsLearnsThatTheJobHasEnded();
    void whoWorksLearnsThatTheJobHasEnded();
    void aTaskThatHasFinishedDisturbsNobody();
    void aTaskThatRestsIsCalledWhenSomebodyIsLost();
    void aCoordinatorThatEndsBlamesNobody();
    void theCoordinatorKnowsEveryTask();
    void aRequestToStopEndsWaiting();
    void hundredsOfMembersFormAGeneration();
};

void TstCoordinator::everybodyGetsTheSameGeneration_data()
{
    QTest::addColumn<int>("size");
    for (const int size : {1, 2, 4, 8}) {
        QTest::addRow("%d", size) << size;
    }
}

void TstCoordinator::everybodyGetsTheSameGeneration()
{
    QFETCH(int, size);
    TestCluster cluster(size);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    QVERIFY(areAllIn(cluster.joinAll(), 2));
}

void TstCoordinator::aTaskThatLostAPeerJustJoinsAgain()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    BrokenCounter broken;
    Member::Options options = cluster.memberOptions(0);
    options.onBroken = broken.callback();
    auto chief = Member::connect(std::move(options));
    VERIFY_OK(chief);
    cluster.members.push_back(std::move(*chief));
    auto worker = cluster.connect(1);
    VERIFY_OK(worker);
    cluster.members.push_back(std::move(*worker));
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    QVERIFY(!cluster.members[0]->isBroken(1));

    auto joining =
        std::async(std::launch::async, [&cluster] { return cluster.members[1]->join(); });
    QTRY_COMPARE_WITH_TIMEOUT(broken.calls.load(), 1, kPatience);
    QCOMPARE(broken.generation.load(), 1);
    QVERIFY(cluster.members[0]->isBroken(1));
    VERIFY_OK(cluster.members[0]->join());
    const Result<Generation> joined = joining.get();
    VERIFY_OK(joined);
    QCOMPARE(joined->number, 2);
    QCOMPARE(broken.calls.load(), 1);
}

void TstCoordinator::aRestartedTaskBringsEverybodyToTheNextGeneration()
{
    TestCluster cluster(4);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    auto restarted = cluster.connect(2, 5);
    VERIFY_OK(restarted);
    for (const auto& member : cluster.members) {
        QTRY_VERIFY_WITH_TIMEOUT(member->isBroken(1), kPatience);
    }
    VERIFY_ERROR(cluster.members[2]->join(), "coordinator.replaced");
    cluster.members[2] = std::move(*restarted);
    QVERIFY(areAllIn(cluster.joinAll(), 2));
    QTRY_VERIFY_WITH_TIMEOUT(cluster.notes.contains("coordinator.note_restarted"), kPatience);
    QCOMPARE(cluster.coordinator->members()[2].restarts, 1);
}

void TstCoordinator::tasksThatDoNotHearEachOtherConnectAnew()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    std::atomic<int> stuck = 0; // so many of the tasks
    std::atomic<int> beats = 0;
    for (int rank = 0; rank < 3; ++rank) {
        Member::Options options = cluster.memberOptions(rank);
        options.stuckWith = [&stuck, &beats, rank]() -> std::optional<int> {
            ++beats;
            return rank < stuck ? std::optional((rank + 1) % 2) : std::nullopt;
        };
        auto member = Member::connect(std::move(options));
        VERIFY_OK(member);
        cluster.members.push_back(*std::move(member));
    }
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    stuck = 2; // the third is busy: they may have to wait for it
    QTRY_VERIFY_WITH_TIMEOUT(beats > 20, kPatience);
    QVERIFY(!cluster.members[0]->isBroken(1));
    stuck = 3;
    for (const auto& member : cluster.members) {
        QTRY_VERIFY_WITH_TIMEOUT(member->isBroken(1), kPatience);
    }
    QTRY_VERIFY_WITH_TIMEOUT(
        cluster.notes.sentences().contains("chief:0 at h0 and worker:0 at h1 do not hear"),
        kPatience);
    stuck = 0;
    QVERIFY(areAllIn(cluster.joinAll(), 2));
    QVERIFY(!cluster.members[0]->isBroken(2));
}

void TstCoordinator::aLostConnectionIsNoticedByTheOthers()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    cluster.members[1].reset();
    QTRY_VERIFY_WITH_TIMEOUT(cluster.members[0]->isBroken(1), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.members[2]->isBroken(1), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.notes.contains("coordinator.note_lost"), kPatience);
    auto again = cluster.connect(1);
    VERIFY_OK(again);
    cluster.members[1] = std::move(*again);
    QVERIFY(areAllIn(cluster.joinAll(), 2));
}

void TstCoordinator::membersRegisterAgainAtARestartedCoordinator()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    QVERIFY(areAllIn(cluster.joinAll(), 2));
    cluster.members[0].reset();
    cluster.coordinator.reset();
    QTRY_VERIFY_WITH_TIMEOUT(cluster.members[1]->isBroken(2), kPatience);
    auto waiting =
        std::async(std::launch::async, [&cluster] { return cluster.members[2]->join(); });

    cluster.chiefIncarnation = 78;
    VERIFY_OK(cluster.start()); // at the same port
    auto chief = cluster.connect(0);
    VERIFY_OK(chief);
    auto joining = std::async(std::launch::async, [&chief] { return (*chief)->join(); });
    const Result<Generation> first = cluster.members[1]->join();
    VERIFY_OK(first);
    QCOMPARE(first->number, 3);
    QVERIFY(joining.get()->number == 3);
    QVERIFY(waiting.get()->number == 3);
}

void TstCoordinator::whoWaitsLearnsThatTheJobHasEnded()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    auto waiting =
        std::async(std::launch::async, [&cluster] { return cluster.members[1]->join(); });
    VERIFY_OK(cluster.members[0]->leave(Outcome::Failed, "The loss became NaN."));
    const Result<Generation> joined = waiting.get();
    VERIFY_ERROR(joined, "coordinator.job_ended");
    QCOMPARE(joined.error().sentence, "The job has failed: The loss became NaN.");
    QVERIFY(cluster.members[1]->jobEnd() == (JobEnd{Outcome::Failed, "The loss became NaN."}));
    cluster.coordinator.reset();
    // Nobody waits for a coordinator that will not come back.
    VERIFY_ERROR(cluster.members[2]->join(), "coordinator.job_ended");
}

void TstCoordinator::whoWorksLearnsThatTheJobHasEnded()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    BrokenCounter broken;
    Member::Options options = cluster.memberOptions(1);
    options.onBroken = broken.callback();
    auto chief = cluster.connect(0);
    VERIFY_OK(chief);
    cluster.members.push_back(std::move(*chief));
    auto worker = Member::connect(std::move(options));
    VERIFY_OK(worker);
    cluster.members.push_back(std::move(*worker));
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    VERIFY_OK(cluster.members[0]->leave(Outcome::Done));
    cluster.coordinator.reset(); // not before everybody has been told
    QTRY_COMPARE_WITH_TIMEOUT(broken.calls.load(), 1, kPatience);
    QVERIFY(cluster.members[1]->jobEnd() == JobEnd{});
    VERIFY_OK(cluster.members[1]->leave(Outcome::Done));
    VERIFY_ERROR(cluster.members[1]->reportStep({}), "coordinator.job_ended");
}

void TstCoordinator::aTaskThatHasFinishedDisturbsNobody()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    VERIFY_OK(cluster.members[2]->leave(Outcome::Done));
    cluster.members[2].reset();
    QVERIFY(cluster.coordinator->members()[2].hasLeft);
    VERIFY_OK(cluster.members[1]->leave(Outcome::Failed, "No space left."));
    QTRY_VERIFY_WITH_TIMEOUT(cluster.members[0]->jobEnd(), kPatience);
    QCOMPARE(cluster.members[0]->jobEnd()->reason, "worker:0 at h1 failed: No space left.");
}

void TstCoordinator::aTaskThatRestsIsCalledWhenSomebodyIsLost()
{
    TestCluster cluster(3);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    const auto rest = [&cluster](std::size_t rank) {
        return std::async(std::launch::async,
                          [&cluster, rank] { return cluster.members[rank]->rest(); });
    };
    auto first = rest(1);
    cluster.members[2].reset();
    VERIFY_OK(first.get());
    auto newer = cluster.connect(2, 5);
    VERIFY_OK(newer);
    cluster.members[2] = *std::move(newer);
    QVERIFY(areAllIn(cluster.joinAll(), 2));
    auto second = rest(1);
    auto third = rest(2);
    VERIFY_OK(cluster.members[0]->leave(Outcome::Done, "All steps."));
    VERIFY_ERROR(second.get(), "coordinator.job_ended");
    VERIFY_ERROR(third.get(), "coordinator.job_ended");
}

void TstCoordinator::aCoordinatorThatEndsBlamesNobody()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    cluster.coordinator.reset();
    QTRY_VERIFY_WITH_TIMEOUT(cluster.members[1]->isBroken(1), kPatience);
    QCOMPARE(cluster.notes.sentences(), "Generation 1 of 2 tasks has formed.");
}

void TstCoordinator::theCoordinatorKnowsEveryTask()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    VERIFY_OK(
        cluster.members[1]->reportStep({.step = 12, .computeSeconds = 0.5, .waitSeconds = 0.25}));
    QTRY_VERIFY_WITH_TIMEOUT(cluster.coordinator->members()[1].lastStep.step == 12, kPatience);
    const MemberStatus status = cluster.coordinator->members()[1];
    QCOMPARE(status.task, "worker:0");
    QCOMPARE(status.host, "h1");
    QVERIFY(status.isPresent && !status.isWaiting && !status.hasLeft);
    QCOMPARE(status.lastStep.computeSeconds, 0.5);
    QCOMPARE(status.lastStep.waitSeconds, 0.25);
}

void TstCoordinator::aRequestToStopEndsWaiting()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    std::atomic<bool> stop = false;
    Member::Options options = cluster.memberOptions(0);
    options.stop = &stop;
    auto chief = Member::connect(options);
    VERIFY_OK(chief);
    auto joining = std::async(std::launch::async, [&chief] { return (*chief)->join(); });
    QTRY_VERIFY_WITH_TIMEOUT(cluster.coordinator->members()[0].isWaiting, kPatience);
    stop = true;
    VERIFY_ERROR(joining.get(), "coordinator.stopped");
    // It can still say good-bye.
    VERIFY_OK((*chief)->leave(Outcome::Stopping, "SIGTERM."));
    const auto late = cluster.connect(1); // learns how the job has ended
    VERIFY_OK(late);
    VERIFY_ERROR((*late)->join(), "coordinator.job_ended");
    QVERIFY((*late)->jobEnd() == (JobEnd{Outcome::Stopping, "SIGTERM."}));

    cluster.coordinator.reset();
    options.identity.rank = 1;
    VERIFY_ERROR(Member::connect(options), "coordinator.stopped");
}

void TstCoordinator::hundredsOfMembersFormAGeneration()
{
    TestCluster cluster(128);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    cluster.members.back().reset();
    for (std::size_t rank = 0; rank + 1 < cluster.members.size(); ++rank) {
        QTRY_VERIFY_WITH_TIMEOUT(cluster.members[rank]->isBroken(1), kPatience);
    }
}

CANNERY_TEST(TstCoordinator)
#include "tst_coordinator.moc"
