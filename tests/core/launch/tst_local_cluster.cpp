// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/tf_config.h"
#include "core/launch/local_cluster.h"
#include "core/launch/reserved_ports.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <netinet/in.h>
#include <set>
#include <sys/socket.h>
#include <unistd.h>

using namespace cannery;
using namespace cannery::launch;

namespace {

/// Whether a server can listen at a port of 127.0.0.1 now.
bool canListen(int port, bool reusesAddress)
{
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int reuse = reusesAddress ? 1 : 0;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof(reuse));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool listens =
        bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
        listen(descriptor, 1) == 0;
    close(descriptor);
    return listens;
}

const LocalCluster kCluster{.workers = 3,
                            .hasEvaluator = true,
                            .program = "/proc/self/exe",
                            .words = {"train", "a.cannery", "--threads", "2"},
                            .chiefWords = {"--json"},
                            .logFolder = "/logs"};

} // namespace

/// The processes of `cannery launch` and their addresses.
class TstLocalCluster : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTaskGetsTheTfConfigOfItsPlace();
    void everyTaskKnowsTheSameSecret();
    void onlyTheChiefReports();
    void everyTaskHasALogOfItsOwn();
    void aLoneWorkerIsTheChief();
    void fewerWorkersShareTheShards();
    void secretsAreLongAndNew();
    void reservedPortsAreFreeForTheirTasksOnly();
};

void TstLocalCluster::everyTaskGetsTheTfConfigOfItsPlace()
{
    const std::vector<TaskProgram> programs = programsOf(kCluster, {5001, 5002, 5003, 5004}, "t");
    const std::string cluster =
        R"({"cluster":{"chief":["127.0.0.1:5001"],"evaluator":["127.0.0.1:5004"],)"
        R"("worker":["127.0.0.1:5002","127.0.0.1:5003"]},"task":{"type":")";
    const std::vector<std::pair<std::string, int>> tasks{
        {"chief", 0}, {"worker", 0}, {"worker", 1}, {"evaluator", 0}};
    QCOMPARE(programs.size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto& [type, index] = tasks[i];
        QCOMPARE(programs[i].name, type + ":" + std::to_string(index));
        QCOMPARE(programs[i].variables.at(0), "TF_CONFIG=" + cluster + type + R"(","index":)" +
                                                  std::to_string(index) +
                                                  R"(},"environment":"cloud"})");
        const auto read = cluster::readTfConfig(programs[i].variables.at(0).substr(10));
        QVERIFY(read && *read);
        QCOMPARE((*read)->isChief(), i == 0);
        QCOMPARE((*read)->rank(), i == 3 ? -1 : static_cast<int>(i));
        QVERIFY((*read)->warnings.empty());
    }
}

void TstLocalCluster::everyTaskKnowsTheSameSecret()
{
    for (const TaskProgram& program : programsOf(kCluster, {1, 2, 3, 4}, "0123")) {
        QCOMPARE(program.variables.at(1), std::string("CANNERY_JOB_TOKEN=0123"));
    }
}

void TstLocalCluster::onlyTheChiefReports()
{
    const std::vector<TaskProgram> programs = programsOf(kCluster, {1, 2, 3, 4}, "t");
    for (const TaskProgram& program : programs) {
        const bool isChief = &program == &programs.front();
        QCOMPARE(program.isShown, isChief);
        std::vector<std::string> words = kCluster.words;
        if (isChief) {
            words.emplace_back("--json");
        }
        QCOMPARE(program.words, words);
        QCOMPARE(program.program, kCluster.program);
    }
}

void TstLocalCluster::everyTaskHasALogOfItsOwn()
{
    std::vector<std::string> logs;
    for (const TaskProgram& program : programsOf(kCluster, {1, 2, 3, 4}, "t")) {
        logs.push_back(program.log);
    }
    QCOMPARE(logs, std::vector<std::string>({"/logs/chief-0.log", "/logs/worker-0.log",
                                             "/logs/worker-1.log", "/logs/evaluator-0.log"}));
}

void TstLocalCluster::aLoneWorkerIsTheChief()
{
    const LocalCluster alone{.workers = 1};
    QCOMPARE(taskCount(alone), 1);
    const std::vector<TaskProgram> programs = programsOf(alone, {5001}, "t");
    QCOMPARE(programs.size(), std::size_t{1});
    QCOMPARE(programs[0].name, std::string("chief:0"));
}

void TstLocalCluster::fewerWorkersShareTheShards()
{
    QCOMPARE(fewerWorkers(8, 1, 8), 4);
    QCOMPARE(fewerWorkers(4, 2, 8), 2);
    QCOMPARE(fewerWorkers(4, 3, 8), 0);
    QCOMPARE(fewerWorkers(4, 1, 0), 3);
    QCOMPARE(fewerWorkers(1, 1, 8), 0);
    QCOMPARE(fewerWorkers(2, 2, 0), 0);
}

void TstLocalCluster::secretsAreLongAndNew()
{
    const std::string first = newJobToken();
    QCOMPARE(first.size(), std::size_t{32});
    QCOMPARE(first.find_first_not_of("0123456789abcdef"), std::string::npos);
    QVERIFY(newJobToken() != first);
}

void TstLocalCluster::reservedPortsAreFreeForTheirTasksOnly()
{
    constexpr int kCount = 20;
    std::vector<int> ports;
    {
        const auto reserved = ReservedPorts::reserve(kCount);
        QVERIFY(reserved);
        ports = reserved->ports();
        QCOMPARE(std::set<int>(ports.begin(), ports.end()).size(), std::size_t{kCount});
        for (const int port : ports) {
            QVERIFY(!canListen(port, false));
            QVERIFY(canListen(port, true));
            QVERIFY(canListen(port, true)); // as a chief that was started again
        }
    }
    QVERIFY(canListen(ports.front(), false));
}

CANNERY_TEST(TstLocalCluster)
#include "tst_local_cluster.moc"
