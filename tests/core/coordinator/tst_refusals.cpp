// SPDX-License-Identifier: Apache-2.0
#include "core/coordinator/refusals.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::coordinator;

namespace {

const std::vector<std::string> kTasks{"chief:0", "worker:0"};

MemberIdentity identityOfChief()
{
    return {.task = "chief:0",
            .rank = 0,
            .incarnation = 7,
            .version = "1.2",
            .digest = "d1",
            .experiment = "a: 1\n  b: 2\n",
            .host = "h0",
            .token = "secret"};
}

MemberIdentity identityOfWorker()
{
    MemberIdentity identity = identityOfChief();
    identity.task = "worker:0";
    identity.rank = 1;
    identity.incarnation = 8;
    identity.host = "h1";
    return identity;
}

} // namespace

/// Who may belong to a job.
class TstRefusals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theChiefAndItsWorkersMay();
    void eachObjectionIsASentence_data();
    void eachObjectionIsASentence();
    void aForeignerLearnsNothingElse();
    void theFirstDifferentLineIsShown_data();
    void theFirstDifferentLineIsShown();
    void clocksMayDifferByAnHour();
};

void TstRefusals::theChiefAndItsWorkersMay()
{
    QVERIFY(!objectionTo(identityOfChief(), identityOfChief(), kTasks));
    QVERIFY(!objectionTo(identityOfWorker(), identityOfChief(), kTasks));
}

void TstRefusals::eachObjectionIsASentence_data()
{
    QTest::addColumn<QString>("field");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("token") << "token"
                           << "coordinator.other_token"
                           << "The job at this address belongs to somebody else: the token of "
                              "worker:0 at h1 is not the job's. Start all tasks of a job with the "
                              "same token, or use another address.";
    QTest::newRow("version") << "version"
                             << "coordinator.other_version"
                             << "worker:0 at h1 is version 1.3 of cannery, the chief is version "
                                "1.2; start all tasks of a job with the same version.";
    QTest::newRow("experiment")
        << "experiment"
        << "coordinator.other_experiment"
        << "worker:0 at h1 was started with another experiment than the chief: line 2 is \"b: 3\" "
           "there and \"b: 2\" at the chief. Start all tasks of a job with the same file and the "
           "same --set.";
    QTest::newRow("rank") << "rank"
                          << "coordinator.rank_out_of_range"
                          << "worker:0 at h1 has rank 2, but the chief's cluster has 2 tasks; "
                             "start all tasks of a job with the same cluster in TF_CONFIG.";
    QTest::newRow("negative rank")
        << "negative rank"
        << "coordinator.rank_out_of_range"
        << "worker:0 at h1 has rank -1, but the chief's cluster has 2 tasks; start all tasks of a "
           "job with the same cluster in TF_CONFIG.";
    QTest::newRow("task")
        << "task"
        << "coordinator.other_cluster"
        << "worker:5 at h1 has rank 1, which is worker:0 in the chief's "
           "cluster; start all tasks of a job with the same cluster in TF_CONFIG.";
    QTest::newRow("chief") << "chief"
                           << "coordinator.two_chiefs"
                           << "chief:0 at h1 is a second chief: another process, at h0, already "
                              "leads this job. End one of the two, or give this one another task "
                              "in TF_CONFIG.";
}

void TstRefusals::eachObjectionIsASentence()
{
    QFETCH(QString, field);
    QFETCH(QString, id);
    QFETCH(QString, sentence);
    MemberIdentity identity = identityOfWorker();
    if (field == "token") {
        identity.token = "secreT";
    } else if (field == "version") {
        identity.version = "1.3";
    } else if (field == "experiment") {
        identity.digest = "d2";
        identity.experiment = "a: 1\n  b: 3\n";
    } else if (field == "rank") {
        identity.rank = 2;
    } else if (field == "negative rank") {
        identity.rank = -1;
    } else if (field == "task") {
        identity.task = "worker:5";
    } else {
        identity.task = "chief:0";
        identity.rank = 0;
    }
    const std::optional<Error> objection = objectionTo(identity, identityOfChief(), kTasks);
    QVERIFY(objection);
    QCOMPARE(QString::fromStdString(objection->id), id);
    QCOMPARE(QString::fromStdString(objection->sentence), sentence);
}

void TstRefusals::aForeignerLearnsNothingElse()
{
    MemberIdentity identity = identityOfWorker();
    identity.token = "secret2";
    identity.version = "other";
    identity.digest = "other";
    identity.experiment.clear();
    const std::optional<Error> objection = objectionTo(identity, identityOfChief(), kTasks);
    QVERIFY(objection);
    QCOMPARE(objection->id, "coordinator.other_token");
    QVERIFY(objection->sentence.find("b: 2") == std::string::npos);
}

void TstRefusals::theFirstDifferentLineIsShown_data()
{
    QTest::addColumn<QString>("there");
    QTest::addColumn<QString>("chief");
    QTest::addColumn<QString>("difference");
    QTest::newRow("changed") << "a\nb\nc"
                             << "a\nx\nd"
                             << "line 2 is \"b\" there and \"x\" at the chief";
    QTest::newRow("more") << "a\nb\n"
                          << "a\n"
                          << "line 2 is \"b\" there and missing at the chief";
    QTest::newRow("fewer") << ""
                           << "a"
                           << "line 1 is missing there and \"a\" at the chief";
    QTest::newRow("spaces") << " a"
                            << "a  b"
                            << "line 1 is \"a\" there and \"a  b\" at the chief";
    QTest::newRow("long") << QString(200, 'x') << "y"
                          << "line 1 is \"" + QString(120, 'x') +
                                 "…\" there and \"y\" at the chief";
    QTest::newRow("equal") << "a"
                           << "a"
                           << "the texts are equal, but what they refer to differs";
    QTest::newRow("only the last line end")
        << "a\n"
        << "a"
        << "the texts are equal, but what they refer to differs";
}

void TstRefusals::theFirstDifferentLineIsShown()
{
    QFETCH(QString, there);
    QFETCH(QString, chief);
    QFETCH(QString, difference);
    QCOMPARE(QString::fromStdString(firstDifference(there.toStdString(), chief.toStdString())),
             difference);
}

void TstRefusals::clocksMayDifferByAnHour()
{
    constexpr std::int64_t kHour = 3600 * 1000;
    QVERIFY(!clockHours(10 * kHour, 9 * kHour));
    QVERIFY(!clockHours(9 * kHour, 10 * kHour));
    QCOMPARE(clockHours(12 * kHour, 10 * kHour), std::optional<double>(2));
    QCOMPARE(clockHours(0, 25 * kHour / 10), std::optional<double>(2.5));
}

CANNERY_TEST(TstRefusals)
#include "tst_refusals.moc"
