// SPDX-License-Identifier: Apache-2.0
#include "core/cluster/indexed_job.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::cluster;

class TstIndexedJob : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theIndexIsTheRank();
    void evaluatorsAreNoMembers();
    void mistakesAreNamed_data();
    void mistakesAreNamed();

private:
    static Result<ClusterSpec> clusterOf(const std::string& index, const AdapterOptions& options)
    {
        return clusterOfIndexedJob({{"JOB_COMPLETION_INDEX", index}}, options);
    }
};

void TstIndexedJob::theIndexIsTheRank()
{
    const AdapterOptions options{"chief:1,worker:2,ps:1", "mnist-{index}.mnist", std::nullopt};
    const std::vector<Task> tasks{{TaskType::Chief, 0, "mnist-0.mnist:2222"},
                                  {TaskType::Worker, 0, "mnist-1.mnist:2222"},
                                  {TaskType::Worker, 1, "mnist-2.mnist:2222"},
                                  {TaskType::ParameterServer, 0, "mnist-3.mnist:2222"}};
    for (int index = 0; index < 4; ++index) {
        const auto spec = clusterOf(std::to_string(index), options);
        VERIFY_OK(spec);
        QCOMPARE(spec->tasks, tasks);
        QCOMPARE(spec->rank(), index);
        QCOMPARE(spec->ownAddress(), tasks[static_cast<std::size_t>(index)].address);
        QCOMPARE(spec->isChief(), index == 0);
    }
}

void TstIndexedJob::evaluatorsAreNoMembers()
{
    const AdapterOptions options{"worker:2,evaluator:1", "{index}.job.ns.svc", 80};
    const auto evaluator = clusterOf("2", options);
    VERIFY_OK(evaluator);
    QVERIFY(evaluator->type == TaskType::Evaluator);
    QCOMPARE(evaluator->tasks, std::vector<Task>());
    const auto worker = clusterOf("1", options);
    VERIFY_OK(worker);
    QCOMPARE(worker->workerCount(), 2);
    QCOMPARE(worker->chiefAddress(), std::string("0.job.ns.svc:80"));
}

void TstIndexedJob::mistakesAreNamed_data()
{
    QTest::addColumn<QString>("index");
    QTest::addColumn<QString>("roles");
    QTest::addColumn<QString>("hosts");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("id");
    const QString hosts = "m-{index}.m";
    QTest::newRow("too large") << "2"
                               << "worker:2" << hosts << 1 << "cluster.bad_completion_index";
    QTest::newRow("negative") << "-1"
                              << "worker:2" << hosts << 1 << "cluster.bad_completion_index";
    QTest::newRow("a word") << "one"
                            << "worker:2" << hosts << 1 << "cluster.bad_completion_index";
    QTest::newRow("roles") << "0"
                           << "worker" << hosts << 1 << "cluster.bad_roles";
    QTest::newRow("no hosts") << "0"
                              << "worker:2"
                              << "" << 1 << "cluster.bad_host_pattern";
    QTest::newRow("one host") << "0"
                              << "worker:2"
                              << "m-0.m" << 1 << "cluster.bad_host_pattern";
    QTest::newRow("no name") << "0"
                             << "worker:2"
                             << "m {index}" << 1 << "cluster.bad_host";
    QTest::newRow("no port") << "0"
                             << "worker:2" << hosts << 65536 << "cluster.bad_port";
}

void TstIndexedJob::mistakesAreNamed()
{
    QFETCH(const QString, index);
    QFETCH(const QString, roles);
    QFETCH(const QString, hosts);
    QFETCH(const int, port);
    QFETCH(const QString, id);
    VERIFY_ERROR(clusterOf(index.toStdString(), {roles.toStdString(), hosts.toStdString(), port}),
                 id);
}

CANNERY_TEST(TstIndexedJob)
#include "tst_indexed_job.moc"
