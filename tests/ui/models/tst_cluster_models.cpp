// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/runs/cluster_model.h"
#include "ui/models/runs/worker_table_model.h"

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>
#include <QTest>

using namespace cannery::ui;

using Type = ClusterTask::Type;

/// The table of a cluster's tasks, with their TF_CONFIG, and the rows of its workers.
class TstClusterModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void strategiesOfOneProcessHaveNoTasks();
    void aTaskIsAddedAmongItsOwnAtAFreePort();
    void whatIsRemovedMakesRoomInOrder();
    void theLastTasksStay();
    void everyTaskHasItsTfConfig();
    void wrongAddressesAreNamed_data();
    void wrongAddressesAreNamed();
    void thisMachineIsTold_data();
    void thisMachineIsTold();
    void tasksAreKeptAsJson();
    void strayJsonIsIgnored();
    void anotherStrategyTakesTheTasksOver();
    void theTableIsEdited();
    void workersKeepTheirRows();
    void stepTimesHaveTheirUnits();
};

namespace {

QStringList namesOf(const ClusterTasks& tasks)
{
    QStringList names;
    for (const ClusterTask& task : tasks.tasks()) {
        names << task.name();
    }
    return names;
}

QString shown(const QAbstractItemModel& model, int row, int column)
{
    return model.index(row, column).data().toString();
}

} // namespace

void TstClusterModels::strategiesOfOneProcessHaveNoTasks()
{
    for (const char* strategy : {"one_device", "mirrored", "central_storage", ""}) {
        QVERIFY(!spansProcesses(strategy) && defaultTasks(strategy).isEmpty());
    }
    QCOMPARE(namesOf(defaultTasks("multi_worker_mirrored")), QStringList({"chief:0", "worker:0"}));
    QCOMPARE(namesOf(defaultTasks("parameter_server")),
             QStringList({"chief:0", "worker:0", "ps:0"}));
    QVERIFY(defaultTasks("parameter_server").isOnThisMachine());
}

void TstClusterModels::aTaskIsAddedAmongItsOwnAtAFreePort()
{
    ClusterTasks tasks = ClusterTasks::onThisMachine(2, 1);
    QCOMPARE(tasks.add(Type::Worker), 2);
    QCOMPARE(namesOf(tasks), QStringList({"chief:0", "worker:0", "worker:1", "ps:0"}));
    QCOMPARE(tasks.tasks().at(2).address, QString("127.0.0.1:2225"));
    tasks.setAddress(3, "far.example:2222");
    QCOMPARE(tasks.add(Type::Evaluator), 4);
    QCOMPARE(tasks.tasks().at(4).address, QString("far.example:2223"));
    QVERIFY(!tasks.hindranceToAdd(Type::Evaluator).isEmpty());
    QVERIFY(!tasks.hindranceToAdd(Type::Chief).isEmpty());
    QVERIFY(tasks.hindranceToAdd(Type::Ps).isEmpty());
    tasks.setWorkers(1000);
    QCOMPARE(tasks.tasks().size(), 256);
    QVERIFY(!tasks.hindranceToAdd(Type::Worker).isEmpty());
    QCOMPARE(tasks.problem(), QString());
}

void TstClusterModels::whatIsRemovedMakesRoomInOrder()
{
    ClusterTasks tasks = ClusterTasks::onThisMachine(4, 0);
    const QString last = tasks.tasks().last().address;
    tasks.remove(2);
    QCOMPARE(namesOf(tasks), QStringList({"chief:0", "worker:0", "worker:1"}));
    QCOMPARE(tasks.tasks().last().address, last);
    tasks.setWorkers(1);
    QCOMPARE(namesOf(tasks), QStringList{"chief:0"});
    QCOMPARE(tasks.workers(), 1);
}

void TstClusterModels::theLastTasksStay()
{
    ClusterTasks tasks = ClusterTasks::onThisMachine(1, 1);
    for (const int place : {0, 1}) {
        QVERIFY(!tasks.hindranceToRemove(place).isEmpty());
        tasks.remove(place);
        QCOMPARE(tasks.tasks().size(), 2);
    }
    QVERIFY(!tasks.hindranceToRemove(-1).isEmpty());
    tasks.add(Type::Ps);
    QVERIFY(tasks.hindranceToRemove(1).isEmpty());
    tasks.setWorkers(0);
    QCOMPARE(tasks.workers(), 1);
}

void TstClusterModels::everyTaskHasItsTfConfig()
{
    ClusterTasks tasks = ClusterTasks::onThisMachine(3, 1);
    tasks.add(Type::Evaluator);
    const QJsonObject cluster{
        {"chief", QJsonArray{"127.0.0.1:2222"}},
        {"worker", QJsonArray{"127.0.0.1:2223", "127.0.0.1:2224"}},
        {"ps", QJsonArray{"127.0.0.1:2225"}},
        {"evaluator", QJsonArray{"127.0.0.1:2226"}},
    };
    for (int place = 0; place < 5; ++place) {
        const ClusterTask& task = tasks.tasks().at(place);
        const QJsonObject config = QJsonDocument::fromJson(tasks.tfConfig(place).toUtf8()).object();
        QCOMPARE(config["cluster"].toObject(), cluster);
        QCOMPARE(config["task"]["type"].toString() + ':' +
                     QString::number(config["task"]["index"].toInt(-1)),
                 task.name());
        QVERIFY(!tasks.tfConfig(place).contains('\n'));
    }
}

void TstClusterModels::wrongAddressesAreNamed_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("isRight");
    QTest::newRow("name") << "worker-0.train:2222" << true;
    QTest::newRow("IPv4") << "10.0.0.2:1" << true;
    QTest::newRow("IPv6") << "[fe80::1%eth0]:65535" << true;
    QTest::newRow("empty") << "" << false;
    QTest::newRow("no port") << "worker-0" << false;
    QTest::newRow("port 0") << "a:0" << false;
    QTest::newRow("port too high") << "a:65536" << false;
    QTest::newRow("bare IPv6") << "::1:2222" << false;
    QTest::newRow("scheme") << "grpc://a:2222" << false;
    QTest::newRow("taken") << "127.0.0.1:2222" << false;
}

void TstClusterModels::wrongAddressesAreNamed()
{
    QFETCH(const QString, address);
    QFETCH(const bool, isRight);
    ClusterTasks tasks = ClusterTasks::onThisMachine(2, 0);
    tasks.setAddress(1, address);
    QCOMPARE(tasks.problem().isEmpty(), isRight);
    QVERIFY2(isRight || tasks.problem().contains("worker:0"), qPrintable(tasks.problem()));
}

void TstClusterModels::thisMachineIsTold_data()
{
    QTest::addColumn<QString>("address");
    QTest::addColumn<bool>("isHere");
    QTest::newRow("localhost") << "localhost:1" << true;
    QTest::newRow("another loopback") << "127.0.0.9:1" << true;
    QTest::newRow("IPv6") << "[::1]:1" << true;
    QTest::newRow("elsewhere") << "127.example:1" << false;
    QTest::newRow("host") << "host:1" << false;
    QTest::newRow("wrong") << "nothing" << false;
}

void TstClusterModels::thisMachineIsTold()
{
    QFETCH(const QString, address);
    QFETCH(const bool, isHere);
    ClusterTasks tasks = ClusterTasks::onThisMachine(2, 0);
    tasks.setAddress(1, address);
    QCOMPARE(tasks.isOnThisMachine(), isHere);
}

void TstClusterModels::tasksAreKeptAsJson()
{
    ClusterTasks tasks = ClusterTasks::onThisMachine(3, 2);
    tasks.add(Type::Evaluator);
    tasks.setAddress(1, "not yet right");
    QVERIFY(ClusterTasks::fromJson(tasks.toJson()) == tasks);
    QVERIFY(ClusterTasks::fromJson(ClusterTasks().toJson()).isEmpty());
}

void TstClusterModels::strayJsonIsIgnored()
{
    const auto read = [](const QByteArray& text) {
        return namesOf(ClusterTasks::fromJson(QJsonDocument::fromJson(text).array()));
    };
    QCOMPARE(read(R"([7, "x", {"type": "worker", "address": "a:1"}])"), QStringList());
    QCOMPARE(read(R"([{"type": "chief"}, {"type": "chief"}, {"type": "tpu"}, {"type": "ps"}])"),
             QStringList({"chief:0", "ps:0"}));
}

void TstClusterModels::anotherStrategyTakesTheTasksOver()
{
    const ClusterTasks tasks = ClusterTasks::onThisMachine(4, 2);
    QCOMPARE(namesOf(fittedTasks(tasks, "multi_worker_mirrored")),
             QStringList({"chief:0", "worker:0", "worker:1", "worker:2"}));
    QVERIFY(fittedTasks(tasks, "parameter_server") == tasks);
    const ClusterTasks without = ClusterTasks::onThisMachine(2, 0);
    QCOMPARE(fittedTasks(without, "parameter_server").count(Type::Ps), 1);
    QVERIFY(fittedTasks(tasks, "mirrored").isEmpty());
    QVERIFY(fittedTasks({}, "multi_worker_mirrored") == defaultTasks("multi_worker_mirrored"));
}

void TstClusterModels::theTableIsEdited()
{
    ClusterModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy edited(&model, &ClusterModel::edited);
    model.setTasks(ClusterTasks::onThisMachine(2, 0));
    QCOMPARE(edited.size(), 0);
    QCOMPARE(model.add(Type::Worker), 2);
    QCOMPARE(model.add(Type::Evaluator), 3);
    QCOMPARE(model.add(Type::Evaluator), -1);
    model.remove(0);
    QCOMPARE(model.rowCount(), 4);
    model.remove(1);
    QCOMPARE(shown(model, 1, ClusterModel::TypeColumn) + shown(model, 1, ClusterModel::IndexColumn),
             QString("worker0"));
    const QModelIndex address = model.index(1, ClusterModel::AddressColumn);
    QVERIFY(model.flags(address) & Qt::ItemIsEditable);
    QVERIFY(!(model.flags(model.index(1, ClusterModel::TypeColumn)) & Qt::ItemIsEditable));
    QVERIFY(model.setData(address, " far:1 "));
    QCOMPARE(address.data().toString(), QString("far:1"));
    QCOMPARE(edited.size(), 4);
    QVERIFY(model.setData(address, "far:1")); // the same
    QVERIFY(!model.setData(model.index(1, 0), "ps"));
    QCOMPARE(edited.size(), 4);
    model.setTasks({});
    QCOMPARE(model.rowCount(), 0);
}

void TstClusterModels::workersKeepTheirRows()
{
    WorkerTableModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    QList<WorkerRow> workers{{.task = "chief:0", .state = "running", .step = 5},
                             {.task = "worker:0", .state = "running", .step = 5}};
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.setWorkers(workers);
    QCOMPARE(reset.size(), 1);
    QCOMPARE(shown(model, 1, WorkerTableModel::StateColumn), QString("training"));
    QVERIFY2(model.summary().contains("2 tasks"), qPrintable(model.summary()));
    workers[1].state = "lost";
    workers[1].restarts = 3;
    model.setWorkers(workers);
    QCOMPARE(reset.size(), 1);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(changed.first().first().toModelIndex().row(), 1);
    QCOMPARE(shown(model, 1, WorkerTableModel::StateColumn), QString("lost"));
    QCOMPARE(shown(model, 1, WorkerTableModel::RestartsColumn), QString("3"));
    QVERIFY2(model.summary().contains("wait for worker:0"), qPrintable(model.summary()));
    model.setWorkers({});
    QCOMPARE(model.rowCount(), 0);
}

void TstClusterModels::stepTimesHaveTheirUnits()
{
    WorkerTableModel model;
    model.setWorkers({{.task = "chief:0",
                       .state = "of a newer engine",
                       .step = 12000,
                       .stepSeconds = 1.5,
                       .waitSeconds = 0.0123,
                       .networkSeconds = 0.0000456}});
    const QString thin = QChar(0x2009);
    QCOMPARE(shown(model, 0, WorkerTableModel::StateColumn), QString("of a newer engine"));
    QCOMPARE(shown(model, 0, WorkerTableModel::StepColumn), QString("12,000"));
    QCOMPARE(shown(model, 0, WorkerTableModel::StepTimeColumn), "1.50" + thin + "s");
    QCOMPARE(shown(model, 0, WorkerTableModel::WaitColumn), "12.3" + thin + "ms");
    QCOMPARE(shown(model, 0, WorkerTableModel::NetworkColumn), "45.6" + thin + "µs");
    model.setWorkers({{.task = "chief:0", .state = "starting"}});
    QCOMPARE(shown(model, 0, WorkerTableModel::StepTimeColumn), QString("–"));
}

CANNERY_TEST(TstClusterModels)
#include "tst_cluster_models.moc"
