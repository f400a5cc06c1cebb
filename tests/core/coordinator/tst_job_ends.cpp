// SPDX-License-Identifier: Apache-2.0
#include "tests/core/coordinator/membership_fixture.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

/// What the tasks of a generation share, and how a job ends.
class TstJobEnds : public QObject, private MembershipFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeMembership(); }
    void valuesAreSharedWithinAGeneration();
    void aWaitingQuestionIsAnsweredByItsValueOrTheEndOfTheGeneration();
    void theChiefEndsTheJob();
    void aFailedTaskEndsTheJob();
    void aTaskThatHasFinishedBreaksNothing();
    void aStoppingTaskIsAwaited();
    void waitingWorkersLearnTheOutcomeOfAChiefThatNeedsNobody();
    void aChiefCannotWaitForATaskThatHasFinished();
    void whoNeverComesEndsTheJob();
    void whoIsBusyIsNotAwaitedInVain();
    void theMissingAreNamed();

private:
    void passWithBeats(int seconds)
    {
        for (int second = 0; second < seconds; ++second) {
            pass(1s);
            for (RecordedLine& line : m_lines) {
                m_membership->beat(line, m_now);
            }
        }
    }
};

void TstJobEnds::valuesAreSharedWithinAGeneration()
{
    form();
    const std::string bytes("\0\xff", 2);
    m_membership->put(m_lines[0], 1, "key", bytes);
    m_membership->put(m_lines[0], 2, "other generation", bytes);
    m_membership->get(m_lines[1], 1, "key", 5);
    QCOMPARE(m_lines[1].takeNews(), "value5");
    QVERIFY(m_lines[1].value == bytes);
    m_membership->get(m_lines[1], 2, "other generation", 6);
    QCOMPARE(m_lines[1].takeNews(), "value6");
    QVERIFY(!m_lines[1].value);
    joinAll(1);
    takeAll();
    m_membership->get(m_lines[1], 2, "key", 7);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
}

void TstJobEnds::aWaitingQuestionIsAnsweredByItsValueOrTheEndOfTheGeneration()
{
    form();
    m_membership->get(m_lines[1], 1, "a", 1);
    m_membership->get(m_lines[2], 1, "a", 1);
    m_membership->get(m_lines[2], 1, "b", 2);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    m_membership->put(m_lines[0], 1, "a", "x");
    QCOMPARE(takeAll(), QStringList({"", "value1", "value1"}));
    QVERIFY(m_lines[2].value == "x");
    m_membership->lose(m_lines[0]);
    QCOMPARE(takeAll(), QStringList({"broken1 closed", "broken1", "value2 broken1"}));
    QVERIFY(!m_lines[2].value);
}

void TstJobEnds::theChiefEndsTheJob()
{
    form();
    m_membership->join(m_lines[1], 1, m_now);
    takeAll();
    QVERIFY(!m_membership->hasEnded());
    m_membership->leave(m_lines[0], {Outcome::Stopping, "SIGTERM."});
    QCOMPARE(takeAll(), QStringList({"stopping closed", "stopping closed", "stopping closed"}));
    QVERIFY(m_membership->hasEnded());
    RecordedLine late;
    enter(late, 1, 4);
    QCOMPARE(late.takeNews(), "stopping closed");
}

void TstJobEnds::aFailedTaskEndsTheJob()
{
    form();
    m_membership->leave(m_lines[2], {Outcome::Failed, "No space left."});
    QCOMPARE(takeAll(), QStringList({"failed closed", "failed closed", "failed closed"}));
}

void TstJobEnds::aTaskThatHasFinishedBreaksNothing()
{
    form();
    m_membership->get(m_lines[1], 1, "never", 1);
    m_membership->leave(m_lines[1], {Outcome::Done, ""});
    QCOMPARE(takeAll(), QStringList({"", "closed", ""}));
    m_membership->put(m_lines[0], 1, "never", "x");
    m_membership->lose(m_lines[1]);
    pass(1s);
    QCOMPARE(takeAll(), QStringList({"", "", ""}));
    QVERIFY(m_membership->members()[1].hasLeft);
}

void TstJobEnds::aStoppingTaskIsAwaited()
{
    form();
    m_membership->leave(m_lines[1], {Outcome::Stopping, ""});
    QCOMPARE(takeAll(), QStringList({"broken1", "broken1 closed", "broken1"}));
    QVERIFY(!m_membership->members()[1].hasLeft);
    QVERIFY(!m_membership->hasEnded());
}

void TstJobEnds::waitingWorkersLearnTheOutcomeOfAChiefThatNeedsNobody()
{
    form();
    m_membership->leave(m_lines[1], {Outcome::Done, ""});
    m_membership->lose(m_lines[2]);
    RecordedLine restarted;
    enter(restarted, 2, 5);
    m_membership->join(restarted, 0, m_now);
    QCOMPARE(restarted.takeNews(), "welcome");
    m_membership->leave(m_lines[0], {Outcome::Done, ""});
    QCOMPARE(restarted.takeNews(), "done closed");
}

void TstJobEnds::aChiefCannotWaitForATaskThatHasFinished()
{
    form();
    m_membership->leave(m_lines[1], {Outcome::Done, ""});
    takeAll();
    m_membership->join(m_lines[0], 1, m_now);
    QCOMPARE(takeAll(), QStringList({"broken1 failed closed", "", "broken1 failed closed"}));
}

void TstJobEnds::whoNeverComesEndsTheJob()
{
    enter(m_lines[0], 0);
    m_membership->join(m_lines[0], 0, m_now);
    m_lines[0].takeNews();
    for (int second = 0; second < 60; ++second) {
        pass(1s);
        m_membership->beat(m_lines[0], m_now);
    }
    QVERIFY(!m_membership->hasEnded());
    m_lines[0].takeNews();
    pass(1s);
    QCOMPARE(m_lines[0].takeNews(), "failed closed");
}

void TstJobEnds::whoIsBusyIsNotAwaitedInVain()
{
    form();
    m_membership->join(m_lines[1], 1, m_now);
    passWithBeats(600); // the others evaluate
    QVERIFY(!m_membership->hasEnded());
    m_membership->lose(m_lines[2]);
    passWithBeats(59);
    QVERIFY(!m_membership->hasEnded());
    m_lines[0].takeNews();
    passWithBeats(2);
    QVERIFY(m_membership->hasEnded());
    RecordedLine late;
    enter(late, 2, 9);
    QCOMPARE(QString::fromStdString(late.end.reason),
             "Gave up after waiting 60 s for worker:1: start every task of the cluster, and look "
             "for the reason in the log of those.");
}

void TstJobEnds::theMissingAreNamed()
{
    enterAll();
    m_membership->join(m_lines[1], 0, m_now);
    pass(5s);
    QCOMPARE(takeNotes(), QStringList());
    for (RecordedLine& line : m_lines) {
        m_membership->beat(line, m_now);
    }
    pass(3s);
    QCOMPARE(takeNotes(), QStringList({"Waiting for chief:0, worker:1."}));
}

CANNERY_TEST(TstJobEnds)
#include "tst_job_ends.moc"
