// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/cluster_spec.h"
#include "core/cluster/environment.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

class TstClusterSpec : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void typesHaveTheNamesOfTfConfig();
    void tasksAreOrderedAsTensorFlowCountsThem();
    void aProcessWithoutAClusterIsItsOwnChief();
    void dynamicWorkersDoNotKnowTheirLeader();
    void addressesOfMembersDiffer();
    void theEnvironmentIsRead();
};

void TstClusterSpec::typesHaveTheNamesOfTfConfig()
{
    for (const TaskType type :
         {TaskType::Chief, TaskType::Worker, TaskType::ParameterServer, TaskType::Evaluator}) {
        QVERIFY(taskTypeOf(name(type)) == type);
    }
    QCOMPARE(describe(TaskType::ParameterServer, 3), std::string("ps 3"));
    QVERIFY(taskTypeOf("master") == TaskType::Chief);
    QVERIFY(!taskTypeOf("Chief") && !taskTypeOf("") && !taskTypeOf("workers"));
}

void TstClusterSpec::tasksAreOrderedAsTensorFlowCountsThem()
{
    std::vector<Task> tasks{{TaskType::ParameterServer, 0, "p"},
                            {TaskType::Evaluator, 0, "e"},
                            {TaskType::Worker, 10, "w10"},
                            {TaskType::Worker, 9, "w9"},
                            {TaskType::Chief, 0, "c"}};
    sortByRank(tasks);
    std::string order;
    for (const Task& task : tasks) {
        order += task.address + " ";
    }
    QCOMPARE(order, std::string("c w9 w10 p e "));
}

void TstClusterSpec::aProcessWithoutAClusterIsItsOwnChief()
{
    ClusterSpec spec;
    QVERIFY(spec.isAlone() && spec.isChief());
    QCOMPARE(spec.rank(), 0);
    QCOMPARE(spec.workerCount(), 1);
    QCOMPARE(spec.chiefAddress(), std::string());
    spec.type = TaskType::Evaluator;
    QVERIFY(!spec.isAlone() && !spec.isChief());
    QCOMPARE(spec.workerCount(), 0);
}

void TstClusterSpec::dynamicWorkersDoNotKnowTheirLeader()
{
    ClusterSpec spec;
    spec.isSparse = true;
    spec.index = 2;
    spec.tasks = {{TaskType::Worker, 2, "w2:1"}, {TaskType::ParameterServer, 0, "p0:1"}};
    QVERIFY(!spec.isAlone() && !spec.isChief());
    QCOMPARE(spec.rank(), 2);
    QCOMPARE(spec.chiefAddress(), std::string());
    QCOMPARE(spec.ownAddress(), std::string("w2:1"));
    spec.tasks.pop_back();
    QVERIFY(!spec.isAlone());
}

void TstClusterSpec::addressesOfMembersDiffer()
{
    ClusterSpec spec;
    std::vector<Task> tasks{
        {TaskType::Worker, 0, "a:2"}, {TaskType::Evaluator, 0, "a:1"}, {TaskType::Chief, 0, "a:1"}};
    VERIFY_OK(setTasks(spec, tasks));
    QCOMPARE(spec.tasks, (std::vector<Task>{tasks[2], tasks[0]}));
    tasks.push_back({TaskType::Worker, 1, "a:1"});
    const Result<void> checked = setTasks(spec, tasks);
    VERIFY_ERROR(checked, "cluster.duplicate_address");
    QCOMPARE(checked.error().arguments, (std::vector<std::string>{"chief 0", "worker 1", "a:1"}));
}

void TstClusterSpec::theEnvironmentIsRead()
{
    qputenv("CANNERY_TEST_OF_THE_ENVIRONMENT", "a=b");
    const Environment environment = environmentOfProcess();
    QVERIFY(valueOf(environment, "CANNERY_TEST_OF_THE_ENVIRONMENT") == "a=b");
    QVERIFY(valueOf(environment, "CANNERY_TEST_OF_NOTHING").empty());
}

CANNERY_TEST(TstClusterSpec)
#include "tst_cluster_spec.moc"
