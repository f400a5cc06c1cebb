// SPDX-License-Identifier: Apache-2.0
#include "tests/core/coordinator/test_cluster.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::coordinator;
using namespace cannery::tests;

namespace {

/// A port of the loopback interface that another program has, or that nobody has: then it is bound,
/// but refuses connections.
class OccupiedPort
{
public:
    explicit OccupiedPort(bool isListening)
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        m_isReady = bind(m_socket, reinterpret_cast<sockaddr*>(&address), size) == 0 &&
                    (!isListening || listen(m_socket, 8) == 0) &&
                    getsockname(m_socket, reinterpret_cast<sockaddr*>(&address), &size) == 0;
        m_port = ntohs(address.sin_port);
    }
    ~OccupiedPort() { close(m_socket); }
    OccupiedPort(const OccupiedPort&) = delete;
    OccupiedPort& operator=(const OccupiedPort&) = delete;

    bool isReady() const { return m_isReady; }
    std::string address() const { return "127.0.0.1:" + std::to_string(m_port); }

private:
    int m_socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int m_port = 0;
    bool m_isReady = false;
};

} // namespace

/// What members and chiefs are told when they cannot take part.
class TstMemberRefusals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void whoeverDoesNotBelongIsTold_data();
    void whoeverDoesNotBelongIsTold();
    void aRefusedProcessDisturbsNobody();
    void anAddressInUseByThisJobNamesTheProcess();
    void anAddressInUseByAnotherJobOrProgramSaysSo();
    void anAddressThatIsNotOursSaysWhy();
    void aCoordinatorThatDoesNotComeIsAwaitedAndNoted_data();
    void aCoordinatorThatDoesNotComeIsAwaitedAndNoted();
    void aCoordinatorMayComeLate();
    void aLostCoordinatorIsAwaited();
    void aProgramThatIsNoCoordinatorIsNoticedBySilence();
    void aClockThatIsHoursOffIsOnlyNoted();
};

void TstMemberRefusals::whoeverDoesNotBelongIsTold_data()
{
    QTest::addColumn<MemberIdentity>("identity");
    QTest::addColumn<QString>("id");
    const TestCluster cluster(2);
    const auto row = [&cluster](const char* id, auto change) {
        MemberIdentity identity = cluster.identityOf(1);
        change(identity);
        QTest::newRow(id) << identity << QString("coordinator.") + id;
    };
    row("other_token", [](MemberIdentity& identity) { identity.token = "another"; });
    row("other_version", [](MemberIdentity& identity) { identity.version = "2"; });
    row("other_experiment", [](MemberIdentity& identity) { identity.digest = "e"; });
    row("rank_out_of_range", [](MemberIdentity& identity) { identity.rank = 2; });
    row("other_cluster", [](MemberIdentity& identity) { identity.task = "worker:9"; });
    row("two_chiefs", [](MemberIdentity& identity) {
        identity.rank = 0;
        identity.task = "chief:0";
    });
}

void TstMemberRefusals::whoeverDoesNotBelongIsTold()
{
    QFETCH(MemberIdentity, identity);
    QFETCH(QString, id);
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    Member::Options options = cluster.memberOptions(1);
    options.identity = identity;
    VERIFY_ERROR(Member::connect(options), id);
}

void TstMemberRefusals::aRefusedProcessDisturbsNobody()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    VERIFY_OK(cluster.connectAll());
    QVERIFY(areAllIn(cluster.joinAll(), 1));
    Member::Options options = cluster.memberOptions(1, 9);
    options.identity.experiment = "a: 2";
    options.identity.digest = "e";
    const auto refused = Member::connect(options);
    VERIFY_ERROR(refused, "coordinator.other_experiment");
    QCOMPARE(refused.error().sentence,
             "worker:0 at h1 was started with another experiment than the chief: line 1 is \"a: "
             "2\" there and \"a: 1\" at the chief. Start all tasks of a job with the same file and "
             "the same --set.");
    QVERIFY(!cluster.members[1]->isBroken(1));
    QVERIFY(cluster.coordinator->members()[1].isPresent);
}

void TstMemberRefusals::anAddressInUseByThisJobNamesTheProcess()
{
    TestCluster cluster(1);
    VERIFY_OK(cluster.start());
    const auto second = Coordinator::start(cluster.coordinatorOptions());
    VERIFY_ERROR(second, "coordinator.address_in_use");
    QCOMPARE(second.error().sentence,
             fmt::format("The chief cannot listen at {}: the chief of this job already "
                         "does, process {} at h0. End one of the two, or give this one another "
                         "task in TF_CONFIG.",
                         cluster.address, getpid()));
}

void TstMemberRefusals::anAddressInUseByAnotherJobOrProgramSaysSo()
{
    TestCluster cluster(1);
    VERIFY_OK(cluster.start());
    Coordinator::Options options = cluster.coordinatorOptions();
    options.chief.token = "another";
    const auto second = Coordinator::start(options);
    VERIFY_ERROR(second, "coordinator.address_in_use");
    QVERIFY(second.error().sentence.find("the chief of another job does") != std::string::npos);

    const OccupiedPort occupied(true);
    QVERIFY(occupied.isReady());
    options.address = occupied.address();
    const auto third = Coordinator::start(options);
    VERIFY_ERROR(third, "coordinator.address_in_use");
    QVERIFY(third.error().sentence.find("another program does") != std::string::npos);
}

void TstMemberRefusals::anAddressThatIsNotOursSaysWhy()
{
    TestCluster cluster(1);
    cluster.address = "127.0.0.999:2222";
    VERIFY_ERROR(cluster.start(), "coordinator.cannot_listen");
    cluster.address = "127.0.0.1";
    VERIFY_ERROR(cluster.start(), "cluster.address_without_port");
    VERIFY_ERROR(cluster.connect(0), "cluster.address_without_port");
}

void TstMemberRefusals::aCoordinatorThatDoesNotComeIsAwaitedAndNoted_data()
{
    QTest::addColumn<bool>("isKnownHost");
    QTest::newRow("a port where nobody listens") << true;
    QTest::newRow("a host name that does not resolve") << false;
}

void TstMemberRefusals::aCoordinatorThatDoesNotComeIsAwaitedAndNoted()
{
    QFETCH(bool, isKnownHost);
    const OccupiedPort closedPort(false);
    QVERIFY(closedPort.isReady());
    Notes notes;
    Member::Options options = TestCluster(2).memberOptions(1);
    options.coordinatorAddress =
        isKnownHost ? closedPort.address() : "chief.invalid:2222"; // RFC 6761
    options.connectWithin = std::chrono::milliseconds(600);
    options.patience = std::chrono::milliseconds(100);
    options.onNote = [&notes](const Note& note) { notes.add(note); };
    const auto member = Member::connect(options);
    VERIFY_ERROR(member, "coordinator.unreachable");
    QCOMPARE(notes.count("coordinator.note_connecting"), 1);
    QVERIFY(notes.sentences().startsWith("Waiting for the coordinator at " +
                                         QString::fromStdString(options.coordinatorAddress)));
    const QString sentence = QString::fromStdString(member.error().sentence);
    QVERIFY2(sentence.contains(isKnownHost ? "refused" : "the host \"chief.invalid\" is unknown"),
             qPrintable(sentence));
    QVERIFY(sentence.contains("within 0.6 s"));
}

void TstMemberRefusals::aCoordinatorMayComeLate()
{
    TestCluster cluster(1);
    VERIFY_OK(cluster.start()); // to have a port
    cluster.coordinator.reset();
    Notes notes;
    Member::Options options = cluster.memberOptions(0);
    options.patience = std::chrono::milliseconds(0);
    options.onNote = [&notes](const Note& note) { notes.add(note); };
    auto connecting =
        std::async(std::launch::async, [&options] { return Member::connect(options); });
    QTRY_VERIFY_WITH_TIMEOUT(notes.contains("coordinator.note_connecting"), kPatience);
    VERIFY_OK(cluster.start());
    const auto member = connecting.get();
    VERIFY_OK(member);
    VERIFY_OK((*member)->join());
}

void TstMemberRefusals::aLostCoordinatorIsAwaited()
{
    TestCluster cluster(1);
    VERIFY_OK(cluster.start());
    Notes notes;
    Member::Options options = cluster.memberOptions(0);
    options.coordinatorWait = std::chrono::milliseconds(600);
    options.patience = std::chrono::milliseconds(100);
    options.onNote = [&notes](const Note& note) { notes.add(note); };
    const auto member = Member::connect(options);
    VERIFY_OK(member);
    VERIFY_OK((*member)->join());
    cluster.coordinator.reset();
    VERIFY_ERROR((*member)->join(), "coordinator.lost");
    QCOMPARE(notes.count("coordinator.note_connecting"), 1);
    VERIFY_ERROR((*member)->reportStep({}), "coordinator.lost");
    VERIFY_ERROR((*member)->leave(Outcome::Done), "coordinator.lost");
    QVERIFY((*member)->isBroken(1));
}

void TstMemberRefusals::aProgramThatIsNoCoordinatorIsNoticedBySilence()
{
    const OccupiedPort occupied(true); // accepts, says nothing
    QVERIFY(occupied.isReady());
    Member::Options options = TestCluster(2).memberOptions(1);
    options.coordinatorAddress = occupied.address();
    options.heartBeats.deadAfter = std::chrono::milliseconds(300);
    options.connectWithin = std::chrono::milliseconds(600);
    const auto member = Member::connect(options);
    VERIFY_ERROR(member, "coordinator.unreachable");
    QVERIFY(member.error().sentence.find("it was silent for 0.3 s") != std::string::npos);
}

void TstMemberRefusals::aClockThatIsHoursOffIsOnlyNoted()
{
    TestCluster cluster(2);
    VERIFY_OK(cluster.start());
    Notes notes;
    Member::Options options = cluster.memberOptions(1);
    options.identity.unixTimeMs -= 3 * 3600 * 1000;
    options.onNote = [&notes](const Note& note) { notes.add(note); };
    const auto member = Member::connect(options);
    VERIFY_OK(member);
    QTRY_VERIFY_WITH_TIMEOUT(cluster.notes.contains("coordinator.note_clock"), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(notes.contains("coordinator.note_own_clock"), kPatience);
    QCOMPARE(notes.sentences(), "The clock of this host is off by 3 hours from the chief's: its "
                                "files have misleading times. Set its clock.");
    VERIFY_OK(cluster.connect(0));
    QCOMPARE(cluster.notes.count("coordinator.note_clock"), 1);
}

CANNERY_TEST(TstMemberRefusals)
#include "tst_member_refusals.moc"
