// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/slurm.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <set>

using namespace cannery;
using namespace cannery::cluster;

class TstSlurm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStepIsACluster();
    void tasksAreDealtInTurnIfSlurmDealsThem();
    void rolesAreGivenByRank();
    void neighboursHaveOtherPorts();
    void aScriptIsNoStep();
    void mistakesAreNamed_data();
    void mistakesAreNamed();
};

namespace {

/// Rank 3 of `srun -n 5` in job 4711 on three nodes.
Environment stepOfJob4711()
{
    return {{"SLURM_JOB_ID", "4711"},
            {"SLURM_STEP_ID", "0"},
            {"SLURM_NTASKS", "5"},
            {"SLURM_PROCID", "3"},
            {"SLURM_STEP_NODELIST", "node[01-02],gpu5"},
            {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
            {"SLURMD_NODENAME", "node02"}};
}

std::vector<std::string> addressesOf(const ClusterSpec& spec)
{
    std::vector<std::string> addresses;
    for (const Task& task : spec.tasks) {
        addresses.push_back(task.address);
    }
    return addresses;
}

std::string firstAddress(const std::string& job, const std::string& step,
                         const std::string& restarts)
{
    Environment environment = stepOfJob4711();
    environment["SLURM_JOB_ID"] = job;
    environment["SLURM_STEP_ID"] = step;
    environment["SLURM_RESTART_COUNT"] = restarts;
    const auto spec = clusterOfSlurm(environment, {});
    return spec ? spec->chiefAddress() : spec.error().message();
}

} // namespace

void TstSlurm::aStepIsACluster()
{
    // 4711 is 511 modulo 700, and 10000 + 511 * 32 is 26352.
    const std::vector<std::string> addresses{"node01:26352", "node01:26353", "node02:26352",
                                             "node02:26353", "gpu5:26352"};
    for (const auto& [rank, node] : std::vector<std::pair<int, std::string>>{
             {0, "node01"}, {1, "node01"}, {2, "node02"}, {3, "node02"}, {4, "gpu5"}}) {
        Environment environment = stepOfJob4711();
        environment["SLURM_PROCID"] = std::to_string(rank);
        environment["SLURMD_NODENAME"] = node;
        const auto spec = clusterOfSlurm(environment, {});
        VERIFY_OK(spec);
        QCOMPARE(addressesOf(*spec), addresses);
        QCOMPARE(spec->rank(), rank);
        QCOMPARE(describe(spec->type, spec->index),
                 rank == 0 ? "chief 0" : describe(TaskType::Worker, rank - 1));
    }
}

void TstSlurm::tasksAreDealtInTurnIfSlurmDealsThem()
{
    Environment environment = stepOfJob4711();
    environment["SLURM_DISTRIBUTION"] = "cyclic:block";
    environment["SLURMD_NODENAME"] = "node01";
    const auto spec = clusterOfSlurm(environment, {{}, {}, 7000});
    VERIFY_OK(spec);
    QCOMPARE(addressesOf(*spec),
             (std::vector<std::string>{"node01:7000", "node02:7000", "gpu5:7000", "node01:7001",
                                       "node02:7001"}));
}

void TstSlurm::rolesAreGivenByRank()
{
    const auto spec = clusterOfSlurm(stepOfJob4711(), {"ps:2,worker:3", {}, 7000});
    VERIFY_OK(spec);
    QCOMPARE(describe(spec->type, spec->index), std::string("worker 1"));
    QCOMPARE(addressesOf(*spec),
             (std::vector<std::string>{"node02:7000", "node02:7001", "gpu5:7000", "node01:7000",
                                       "node01:7001"}));
}

/// Jobs that run side by side have neighbouring numbers.
void TstSlurm::neighboursHaveOtherPorts()
{
    std::set<std::string> addresses;
    for (const char* job : {"4711", "4712", "4713"}) {
        for (const char* step : {"0", "1", "2"}) {
            for (const char* restarts : {"0", "1", "2"}) {
                addresses.insert(firstAddress(job, step, restarts));
            }
        }
    }
    QCOMPARE(addresses.size(), std::size_t{27});
    QVERIFY(addresses.contains("node01:26352"));
    QCOMPARE(firstAddress("4711", "", ""), std::string("node01:26352"));
    QCOMPARE(firstAddress("4711", "0", "1"), std::string("node01:13776")); // (511 + 307) % 700
    QCOMPARE(firstAddress("18446744073709551615", "4294967294", "0"),
             std::string("node01:29488")); // (15 + 394 * 101) % 700 is 609
}

void TstSlurm::aScriptIsNoStep()
{
    QVERIFY(isSlurmStep(stepOfJob4711()));
    Environment script = stepOfJob4711();
    script.erase("SLURM_STEP_NODELIST");
    QVERIFY(!isSlurmStep(script));
    Environment alone = stepOfJob4711();
    alone["SLURM_NTASKS"] = "1";
    QVERIFY(!isSlurmStep(alone));
    QVERIFY(!isSlurmStep({}));
}

void TstSlurm::mistakesAreNamed_data()
{
    QTest::addColumn<QString>("variable");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("roles");
    QTest::addColumn<QString>("id");
    const QString badVariable = "cluster.slurm_variable";
    QTest::newRow("rank too large") << "SLURM_PROCID"
                                    << "5"
                                    << "" << badVariable;
    QTest::newRow("a rank that is none") << "SLURM_PROCID"
                                         << "x"
                                         << "" << badVariable;
    QTest::newRow("no tasks") << "SLURM_NTASKS"
                              << "0"
                              << "" << badVariable;
    QTest::newRow("too many tasks") << "SLURM_NTASKS"
                                    << "65537"
                                    << "" << badVariable;
    QTest::newRow("tasks that are none") << "SLURM_NTASKS"
                                         << "5(x2)"
                                         << "" << badVariable;
    QTest::newRow("no job") << "SLURM_JOB_ID"
                            << ""
                            << "" << badVariable;
    QTest::newRow("a step that is none") << "SLURM_STEP_ID"
                                         << "0.1"
                                         << "" << badVariable;
    QTest::newRow("restarts that are none") << "SLURM_RESTART_COUNT"
                                            << "-1"
                                            << "" << badVariable;
    QTest::newRow("tasks per node missing") << "SLURM_STEP_TASKS_PER_NODE"
                                            << ""
                                            << "" << badVariable;
    QTest::newRow("tasks per node of others") << "SLURM_STEP_TASKS_PER_NODE"
                                              << "5"
                                              << ""
                                              << "cluster.bad_tasks_per_node";
    QTest::newRow("fewer places than tasks") << "SLURM_STEP_TASKS_PER_NODE"
                                             << "1(x3)"
                                             << ""
                                             << "cluster.slurm_tasks";
    QTest::newRow("nodes") << "SLURM_STEP_NODELIST"
                           << "node["
                           << ""
                           << "cluster.bad_node_list";
    QTest::newRow("a plane") << "SLURM_DISTRIBUTION"
                             << "plane"
                             << ""
                             << "cluster.slurm_distribution";
    QTest::newRow("another node") << "SLURMD_NODENAME"
                                  << "node01"
                                  << ""
                                  << "cluster.slurm_other_node";
    QTest::newRow("roles of others") << "SLURM_STEP_ID"
                                     << "0"
                                     << "chief:1,worker:5"
                                     << "cluster.slurm_roles";
    QTest::newRow("roles") << "SLURM_STEP_ID"
                           << "0"
                           << "chief"
                           << "cluster.bad_roles";
}

void TstSlurm::mistakesAreNamed()
{
    QFETCH(const QString, variable);
    QFETCH(const QString, value);
    QFETCH(const QString, roles);
    QFETCH(const QString, id);
    Environment environment = stepOfJob4711();
    environment[variable.toStdString()] = value.toStdString();
    VERIFY_ERROR(clusterOfSlurm(environment, {roles.toStdString(), {}, std::nullopt}), id);
}

CANNERY_TEST(TstSlurm)
#include "tst_slurm.moc"
