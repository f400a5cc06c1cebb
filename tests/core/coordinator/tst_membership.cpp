// SPDX-License-Identifier: Apache-2.0
#include "tests/core/coordinator/membership_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <atomic>
#include <thread>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

/// Who belongs to a generation.
class TstMembership : public QObject, private MembershipFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeMembership(); }
    void aGenerationFormsWhenEveryTaskHasAsked();
    void aTaskThatAsksAgainBreaksTheGeneration();
    void aLateRequestForTheCurrentGenerationIsIgnored();
    void aLostTaskBreaksTheGenerationAtOnce();
    void aTaskLostWhileWaitingMustAskAgain();
    void aRestartedProcessReplacesTheOlder();
    void aReplacedProcessCannotComeBack();
    void theSameProcessMayReconnectBeforeItsLossIsNoticed();
    void aSilentTaskIsLost();
    void tasksThatAllWaitForEachOtherConnectAnew();
    void aLostLinkIsNamedByTheTasksAtItsEnds();
    void aBusyTaskExcusesWhoWaits();
    void whoWaitedInAnEarlierGenerationDoesNotBreakTheNext();
    void nobodyIsBlamedForSilenceIfTheCoordinatorWasStopped();
    void numbersContinueAfterARestartOfTheCoordinator();
    void aClockThatIsOffIsNoted();
    void aSlowTaskIsNotedOnce();
    void shortStepsAreNotSlow();
    void linesThatItDoesNotKnowAreIgnored();
    void everyThreadMayCallIt();
};

void TstMembership::aGenerationFormsWhenEveryTaskHasAsked()
{
    enterAll();
    QCOMPARE(takeAll(), QStringList({"welcome", "welcome", "welcome"}));
    m_membership->join(m_lines[2], 0, m_now);
    m_membership->join(m_lines[0], 0, m_now);
    m_membership->join(m_lines[0], 0, m_now);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    m_membership->join(m_lines[1], 0, m_now);
    QCOMPARE(takeAll(), QStringList({"formed1", "formed1", "formed1"}));
    for (int rank = 0; rank < kSize; ++rank) {
        QCOMPARE(m_lines[static_cast<std::size_t>(rank)].generation,
                 (Generation{.number = 1, .rank = rank, .size = 3, .hosts = {"h0", "h1", "h2"}}));
    }
    QCOMPARE(takeNotes(), QStringList({"Generation 1 of 3 tasks has formed."}));
}

void TstMembership::aTaskThatAsksAgainBreaksTheGeneration()
{
    form();
    m_membership->join(m_lines[1], 1, m_now);
    QCOMPARE(takeAll(), QStringList({"broken1", "broken1", "broken1"}));
    m_membership->join(m_lines[0], 1, m_now);
    m_membership->join(m_lines[2], 1, m_now);
    QCOMPARE(takeAll(), QStringList({"formed2", "formed2", "formed2"}));
}

void TstMembership::aLateRequestForTheCurrentGenerationIsIgnored()
{
    form();
    m_membership->join(m_lines[1], 0, m_now);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
}

void TstMembership::aLostTaskBreaksTheGenerationAtOnce()
{
    form();
    m_membership->lose(m_lines[2]);
    QCOMPARE(takeAll(), QStringList({"broken1", "broken1", "broken1 closed"}));
    QCOMPARE(takeNotes(), QStringList({"worker:1 at h2 is lost: its connection ended. The others "
                                       "wait until it is started again."}));
    QVERIFY(!m_membership->members()[2].isPresent);
    m_membership->join(m_lines[0], 1, m_now);
    m_membership->join(m_lines[1], 1, m_now);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    RecordedLine restarted;
    enter(restarted, 2, 5);
    m_membership->join(restarted, 0, m_now);
    QCOMPARE(restarted.takeNews(), "welcome formed2");
    QCOMPARE(takeAll(), QStringList({"formed2", "formed2", ""}));
    QCOMPARE(m_membership->members()[2].restarts, 1);
}

void TstMembership::aTaskLostWhileWaitingMustAskAgain()
{
    enterAll();
    m_membership->join(m_lines[1], 0, m_now);
    m_membership->lose(m_lines[1]);
    RecordedLine again;
    enter(again, 1, 1, true);
    m_membership->join(m_lines[0], 0, m_now);
    m_membership->join(m_lines[2], 0, m_now);
    QCOMPARE(again.takeNews(), "welcome");
    m_membership->join(again, 0, m_now);
    QCOMPARE(again.takeNews(), "formed1");
}

void TstMembership::aRestartedProcessReplacesTheOlder()
{
    form();
    RecordedLine restarted;
    enter(restarted, 1, 2);
    QCOMPARE(takeAll(), QStringList({"broken1", "replaced broken1 closed", "broken1"}));
    QCOMPARE(restarted.takeNews(), "welcome");
    QCOMPARE(takeNotes(), QStringList({"worker:0 was started again, at h1."}));
    // The older one's connection ends later; that is no loss.
    m_membership->lose(m_lines[1]);
    QVERIFY(m_membership->members()[1].isPresent);
}

void TstMembership::aReplacedProcessCannotComeBack()
{
    form();
    m_membership->lose(m_lines[1]);
    RecordedLine restarted;
    enter(restarted, 1, 2);
    RecordedLine old;
    enter(old, 1, 1, true);
    QCOMPARE(old.takeNews(), "replaced closed");
    // Not even while the newer one is away.
    m_membership->lose(restarted);
    enter(old, 1, 1, true);
    QCOMPARE(old.takeNews(), "replaced closed");
}

void TstMembership::theSameProcessMayReconnectBeforeItsLossIsNoticed()
{
    form();
    RecordedLine again;
    enter(again, 1, 1, true);
    QCOMPARE(again.takeNews(), "welcome");
    QCOMPARE(takeAll(), QStringList({"broken1", "broken1 closed", "broken1"}));
    QCOMPARE(m_membership->members()[1].restarts, 0);
}

void TstMembership::aSilentTaskIsLost()
{
    form();
    for (int second = 0; second < 5; ++second) {
        pass(1s);
        m_membership->beat(m_lines[0], m_now);
        m_membership->beat(m_lines[2], m_now);
        m_lines[0].takeNews();
        m_lines[2].takeNews();
    }
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    pass(1s);
    QCOMPARE(takeAll(), QStringList({"broken1", "broken1 closed", "broken1"}));
    QCOMPARE(takeNotes(), QStringList({"worker:0 at h1 is lost: it was silent for 5 s. The others "
                                       "wait until it returns or is started again."}));
}

void TstMembership::tasksThatAllWaitForEachOtherConnectAnew()
{
    form();
    beatAll({{1, 1}, {1, 2}, {1, 0}});
    pass(1s);
    QCOMPARE(takeAll(), QStringList({"pulse broken1", "pulse broken1", "pulse broken1"}));
    QCOMPARE(takeNotes(),
             QStringList({"All tasks are alive but wait for each other, as if a connection between "
                          "two of them were lost: they connect anew. Check the network between "
                          "their hosts."}));
    joinAll(1);
    QCOMPARE(takeAll(), QStringList({"formed2", "formed2", "formed2"}));
}

void TstMembership::aLostLinkIsNamedByTheTasksAtItsEnds()
{
    form();
    beatAll({{1, Stuck::kAll}, {1, 2}, {1, 1}});
    pass(1s);
    QCOMPARE(takeNotes(), QStringList({"worker:0 at h1 and worker:1 at h2 do not hear each other, "
                                       "though both are alive: the tasks connect anew. Check the "
                                       "network between these hosts."}));
}

void TstMembership::aBusyTaskExcusesWhoWaits()
{
    form();
    for (int second = 0; second < 20; ++second) {
        beatAll({{}, {1, 0}, {1, 0}});
        pass(1s);
    }
    QCOMPARE(takeNotes(), QStringList());
    QVERIFY(!takeAll().join(' ').contains("broken"));
}

void TstMembership::whoWaitedInAnEarlierGenerationDoesNotBreakTheNext()
{
    form();
    beatAll({{1, 1}, {1, 0}, {1, 0}});
    pass(1s);
    joinAll(1);
    takeAll();
    pass(2s);
    m_membership->beat(m_lines[0], m_now, {2, 1});
    m_membership->beat(m_lines[1], m_now, {1, 0});
    m_membership->beat(m_lines[2], m_now, {2, 0});
    pass(1s);
    QCOMPARE(takeAll(), QStringList({"pulse", "pulse", "pulse"}));
}

void TstMembership::nobodyIsBlamedForSilenceIfTheCoordinatorWasStopped()
{
    form();
    m_now += 100s;
    m_membership->sweep(m_now);
    pass(5s);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    pass(1s);
    QCOMPARE(takeAll().size(), 3);
    QVERIFY(!m_membership->members()[0].isPresent);
}

void TstMembership::numbersContinueAfterARestartOfTheCoordinator()
{
    enterAll();
    m_membership->join(m_lines[0], 0, m_now); // a restarted chief
    m_membership->join(m_lines[1], 7, m_now);
    m_membership->join(m_lines[2], 6, m_now); // it had not heard of 7
    QCOMPARE(takeAll(), QStringList({"welcome formed8", "welcome formed8", "welcome formed8"}));
}

void TstMembership::aClockThatIsOffIsNoted()
{
    MemberIdentity identity = identityOf(1, 1);
    identity.unixTimeMs += 3 * 3600 * 1000;
    m_membership->enter(m_lines[1], {identity, false, m_now, kClock});
    QCOMPARE(m_lines[1].takeNews(), "welcome");
    QCOMPARE(takeNotes(),
             QStringList({"The clock of worker:0 at h1 is off by 3 hours from the chief's: its "
                          "files have misleading times. Set its clock."}));
}

void TstMembership::aSlowTaskIsNotedOnce()
{
    form();
    const auto report = [this](std::int64_t step, double slow) {
        m_membership->reportStep(m_lines[0], {step, 0.1, 0});
        m_membership->reportStep(m_lines[1], {step, slow, 0});
        m_membership->reportStep(m_lines[2], {step, 0.12, 0});
        m_membership->sweep(m_now);
    };
    report(19, 0.7);
    QCOMPARE(takeNotes(), QStringList());
    report(20, 0.7);
    QCOMPARE(takeNotes(),
             QStringList({"worker:0 at h1 takes 0.7 s for its share of a step, the others 0.12 s: "
                          "every step waits for it. Look for other programs, throttling or a slow "
                          "disk on that host."}));
    report(60, 0.7);
    QCOMPARE(takeNotes(), QStringList());
    report(61, 0.5); // no more than five times as long
    report(80, 0.7);
    QCOMPARE(takeNotes(), QStringList());
    report(81, 0.7);
    QCOMPARE(takeNotes().size(), 1);
    QCOMPARE(m_membership->members()[1].lastStep.step, 81);
}

void TstMembership::shortStepsAreNotSlow()
{
    form();
    for (const std::int64_t step : {20, 40, 60}) {
        m_membership->reportStep(m_lines[0], {step, 0.0001, 0});
        m_membership->reportStep(m_lines[1], {step, 0.015, 0});
        m_membership->reportStep(m_lines[2], {step, 0.0001, 0});
        m_membership->sweep(m_now);
    }
    QCOMPARE(takeNotes(), QStringList());
    m_membership->reportStep(m_lines[1], {80, 0.03, 0});
    m_membership->sweep(m_now);
    QCOMPARE(takeNotes().size(), 1);
}

void TstMembership::linesThatItDoesNotKnowAreIgnored()
{
    form();
    RecordedLine foreign;
    m_membership->beat(foreign, m_now);
    m_membership->join(foreign, 1, m_now);
    m_membership->put(foreign, 1, "key", "x");
    m_membership->get(foreign, 1, "key", 1);
    m_membership->reportStep(foreign, {});
    m_membership->leave(foreign, {Outcome::Failed, ""});
    m_membership->lose(foreign);
    QCOMPARE(foreign.takeNews(), "");
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    m_membership->get(m_lines[1], 1, "key", 1);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
}

void TstMembership::everyThreadMayCallIt()
{
    constexpr int kRounds = 200;
    std::atomic<bool> isOver = false;
    std::jthread keeper([this, &isOver] {
        while (!isOver) {
            m_membership->sweep(m_now);
            m_membership->takeNotes();
            m_membership->members();
        }
    });
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < kSize; ++rank) {
            threads.emplace_back([this, rank] {
                RecordedLine& line = m_lines[static_cast<std::size_t>(rank)];
                for (int round = 0; round < kRounds; ++round) {
                    enter(line, rank, 1, round > 0);
                    m_membership->join(line, round, m_now);
                    m_membership->put(line, round, "key", "x");
                    m_membership->get(line, round, "key", 1);
                    m_membership->lose(line);
                }
            });
        }
    }
    isOver = true;
    keeper.join();
    for (const MemberStatus& status : m_membership->members()) {
        QVERIFY(!status.isPresent);
        QVERIFY(!status.isWaiting);
    }
}

CANNERY_TEST(TstMembership)
#include "tst_membership.moc"
