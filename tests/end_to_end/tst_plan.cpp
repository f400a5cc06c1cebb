// SPDX-License-Identifier: Apache-2.0
#include "core/strategies/strategy_catalog.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// What `cannery plan` says of strategies and workers.
class TstPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void listsEveryStrategy_data();
    void listsEveryStrategy();
    void listsTheChosenStrategyAsItIs();
    void countsStepsOfAllReplicas();
    void saysWhyAStrategyIsNotAvailable();
    void saysWhatMoreWorkersWouldDo();
    void measuresOnRequest();
    void saysThatAGpuIsNotMeasured();
    void measuresTreesOfTheWholeTable_data();
    void measuresTreesOfTheWholeTable();
    void estimatesNoSpeedUnmeasured();
    void refusesWrongNumbers_data();
    void refusesWrongNumbers();
};

namespace {

QJsonObject planned(const ProjectFixture& project, const QStringList& options)
{
    const ProgramResult result =
        project.run(QStringList{"plan", "fixture.cannery", "--json"} + options);
    return result.exitCode == 0 ? json(result) : QJsonObject{{"error", result.err}};
}

QJsonObject strategy(const QJsonObject& plan, const QString& name)
{
    for (const QJsonValue& value : plan["strategies"].toArray()) {
        if (value["name"].toString() == name) {
            return value.toObject();
        }
    }
    return {};
}

const QStringList kThreeReplicas{"--set", "strategy.mirrored.devices=[\"CPU:0\", \"CPU:1\", "
                                          "\"CPU:2\"]"};

} // namespace

void TstPlan::listsEveryStrategy_data()
{
    QTest::addColumn<int>("batchSize");
    QTest::newRow("titanic") << 32;
    QTest::newRow("census") << 32;
    QTest::newRow("penguins") << 32;
    QTest::newRow("digits") << 128;
    QTest::newRow("auto_mpg") << 32;
}

void TstPlan::listsEveryStrategy()
{
    QFETCH(int, batchSize);
    const QString name = QTest::currentDataTag();
    const ProjectFixture project;
    copyExample(name, project.path("example"));
    const QString file = "example/" + name + ".cannery";
    const QJsonObject plan = json(project.run({"plan", file, "--json"}));
    const QJsonArray rows = plan["strategies"].toArray();
    QCOMPARE(rows.size(), static_cast<qsizetype>(strategies::strategyCatalog().size()));
    for (const strategies::StrategyRow& known : strategies::strategyCatalog()) {
        const QJsonObject row = rows[&known - strategies::strategyCatalog().data()].toObject();
        QCOMPARE(row["name"].toString().toStdString(), known.name);
        QCOMPARE(row["needs"].toString().toStdString(), known.needs);
        QVERIFY(row["available"].toBool());
        QVERIFY(row["replicas"].toInt() >= 1);
        QCOMPARE(row["batch_per_replica"].toInt(), batchSize);
        QCOMPARE(row["batch_per_step"].toInt(), batchSize * row["replicas"].toInt());
        const double steps = row["steps_per_second"].toDouble();
        QVERIFY(steps > 0);
        QVERIFY(
            std::abs(row["rows_per_second"].toDouble() / steps / row["batch_per_step"].toDouble() -
                     1) < 1e-6);
    }
    // What the experiment has takes what the plan says.
    QCOMPARE(strategy(plan, "one_device")["memory_bytes"], plan["memory_bytes"]);
    QVERIFY(std::abs(strategy(plan, "one_device")["steps_per_second"].toDouble() *
                         plan["seconds_per_step"].toDouble() -
                     1) < 1e-6);
    const QJsonObject workers = plan["workers"].toObject();
    QCOMPARE(workers["network"].toString(), "10 Gbit/s");
    const int recommended = workers["recommended"].toInt();
    QVERIFY(recommended >= 1 && recommended <= 1024);
    QVERIFY(workers["sentence"].toString().startsWith(
        QString("No gain beyond %1 worker").arg(recommended)));
    QCOMPARE(workers["curve"].toArray().size(), 11);
    QCOMPARE(workers["curve"].toArray().last()["workers"].toInt(), 1024);
    const QString text = project.run({"plan", file}).out;
    for (const strategies::StrategyRow& known : strategies::strategyCatalog()) {
        QVERIFY(
            text.contains(QString("\n%1").arg(QString::fromStdString(std::string(known.name)))));
    }
    QVERIFY(text.contains("one_device *"));
    QVERIFY2(text.contains("workers     No gain beyond "), qPrintable(text));
}

void TstPlan::listsTheChosenStrategyAsItIs()
{
    const ProjectFixture project;
    const QJsonObject plan = planned(project, kThreeReplicas);
    const QJsonObject mirrored = strategy(plan, "mirrored");
    QCOMPARE(mirrored["replicas"].toInt(), 3);
    QCOMPARE(mirrored["batch_per_step"].toInt(), 3 * mirrored["batch_per_replica"].toInt());
    QCOMPARE(mirrored["memory_bytes"], plan["memory_bytes"]);
    QVERIFY(mirrored["memory_bytes"].toInteger() >
            strategy(plan, "one_device")["memory_bytes"].toInteger());
    QVERIFY(std::abs(mirrored["steps_per_second"].toDouble() * plan["seconds_per_step"].toDouble() -
                     1) < 1e-6);
    QVERIFY(project.run(QStringList{"plan", "fixture.cannery"} + kThreeReplicas)
                .out.contains("mirrored *"));
    // Virtual shards fix the batches of a step for every strategy.
    const QJsonObject shards = planned(project, {"--set", "strategy.virtual_shards=8"});
    for (const QJsonValue& row : shards["strategies"].toArray()) {
        QCOMPARE(row["batch_per_step"].toInt(), 8 * row["batch_per_replica"].toInt());
        QCOMPARE(8 % row["replicas"].toInt(), 0);
    }
    QCOMPARE(shards["workers"]["curve"].toArray().size(), 4); // 1, 2, 4, 8
    QVERIFY(shards["workers"]["recommended"].toInt() <= 8);
    // One worker does what this machine does alone, also if one batch by itself is measured.
    const QJsonObject probed = planned(project, {"--probe", "--set", "strategy.virtual_shards=8"});
    QVERIFY(std::abs(probed["workers"]["curve"].toArray().at(0)["steps_per_second"].toDouble() *
                         probed["seconds_per_step"].toDouble() -
                     1) < 1e-6);
}

/// 200 rows twice are 13 batches of 32: 13 steps of one, 4 of three replicas, whose last batch is
/// left out.
void TstPlan::countsStepsOfAllReplicas()
{
    const ProjectFixture project;
    const QStringList epochs{"--no-measure",
                             "--set",
                             "train_spec.input.batch_size=32",
                             "--set",
                             "train_spec.input.num_epochs=2",
                             "--set",
                             "train_spec.max_steps=1000"};
    QCOMPARE(planned(project, epochs)["steps"].toInt(), 13);
    QCOMPARE(planned(project, epochs + kThreeReplicas)["steps"].toInt(), 4);
    const ProgramResult trained = project.run(QStringList{"train", "fixture.cannery", "--json"} +
                                              epochs.mid(1) + kThreeReplicas);
    QCOMPARE(json(trained)["global_step"].toInt(), 4);
}

void TstPlan::saysWhyAStrategyIsNotAvailable()
{
    const ProjectFixture project;
    const QJsonObject plan =
        planned(project, {"--workers", "3", "--set", "strategy.virtual_shards=8"});
    const QJsonObject cluster = strategy(plan, "multi_worker_mirrored");
    QVERIFY(!cluster["available"].toBool());
    QVERIFY2(cluster["reason"].toString().startsWith("3 workers cannot share 8 batches"),
             qPrintable(cluster["reason"].toString()));
    QVERIFY(cluster["steps_per_second"].isNull());
    QVERIFY(strategy(plan, "one_device")["reason"].toString().isEmpty());
    // What needs a cluster also trains without one.
    const QJsonObject alone = strategy(planned(project, {}), "multi_worker_mirrored");
    QVERIFY(alone["available"].toBool());
    QVERIFY(alone["reason"].toString().contains("trains alone"));
}

void TstPlan::saysWhatMoreWorkersWouldDo()
{
    const ProjectFixture project;
    const QJsonObject plan = planned(project, {"--workers", "4", "--network", "100"});
    QCOMPARE(plan["workers"]["network"].toString(), "100 Gbit/s");
    const QJsonObject cluster = strategy(plan, "multi_worker_mirrored");
    QCOMPARE(cluster["replicas"].toInt(), 4);
    QVERIFY(cluster["reason"].toString().isEmpty());
    const QJsonValue point = plan["workers"]["curve"].toArray()[2];
    QCOMPARE(point["workers"].toInt(), 4);
    QCOMPARE(cluster["steps_per_second"], point["steps_per_second"]);
    QCOMPARE(cluster["rows_per_second"], point["rows_per_second"]);
    QVERIFY(point["efficiency"].toDouble() > 0 && point["efficiency"].toDouble() < 1);
    const QString text = project.run({"plan", "fixture.cannery", "--network", "1"}).out;
    QVERIFY2(text.contains("\nworkers  steps/s") && text.contains("\n1024 "), qPrintable(text));
}

void TstPlan::measuresOnRequest()
{
    const ProjectFixture project;
    QVERIFY(!planned(project, {}).contains("probe"));
    const QJsonObject plan = planned(project, {"--probe", "--network", "loopback"});
    const QJsonObject probe = plan["probe"].toObject();
    QVERIFY(probe["latency_seconds"].toDouble() > 0);
    QVERIFY(probe["bytes_per_second"].toDouble() > 0);
    QVERIFY(probe["dense_bytes"].toInteger() > 0);
    QCOMPARE(probe["step_seconds"].toArray().size(), plan["measured_steps"].toInteger());
    QCOMPARE(plan["workers"]["network"].toString(), "this machine's loopback");
    // With a single CPU, mirrored has one replica, too.
    const QJsonObject mirrored = strategy(plan, "mirrored");
    QVERIFY(mirrored["steps_per_second"].toDouble() > 0);
    QVERIFY2(!project.exists("runs"), "measuring leaves something behind");
}

void TstPlan::saysThatAGpuIsNotMeasured()
{
    const ProjectFixture project;
    const QStringList onGpu{"--set", "strategy.one_device.device=GPU:0"};
    QVERIFY(planned(project, onGpu)["may_train_on_gpu"].toBool());
    QVERIFY(!planned(project, {})["may_train_on_gpu"].toBool());
    const QString sentence = "speed and time are of the CPU";
    QVERIFY(project.run(QStringList{"plan", "fixture.cannery"} + onGpu).out.contains(sentence));
    QVERIFY(!project.run({"plan", "fixture.cannery"}).out.contains(sentence));
}

void TstPlan::measuresTreesOfTheWholeTable_data()
{
    QTest::addColumn<QString>("growth");
    QTest::newRow("leaf by leaf") << "histogram {}";
    QTest::newRow("layer by layer") << "train_in_memory: true";
}

void TstPlan::measuresTreesOfTheWholeTable()
{
    QFETCH(QString, growth);
    const ProjectFixture project;
    const QJsonObject plan = planned(
        project, {"--set", "estimator={ boosted_trees_classifier { feature_columns: [\"x\", "
                           "\"y\"] " +
                               growth + " } }"});
    QVERIFY2(plan["measured_steps"].toInteger() > 0, qPrintable(plan["error"].toString()));
    QVERIFY(strategy(plan, "one_device")["steps_per_second"].toDouble() > 0);
}

void TstPlan::estimatesNoSpeedUnmeasured()
{
    const ProjectFixture project;
    const QJsonObject plan = planned(project, {"--no-measure"});
    for (const QJsonValue& row : plan["strategies"].toArray()) {
        QVERIFY(row["steps_per_second"].isNull());
        QVERIFY(row["rows_per_second"].isNull());
        QVERIFY(row["memory_bytes"].toInteger() > 0);
    }
    QVERIFY(plan["workers"]["recommended"].isNull());
    QVERIFY(plan["workers"]["curve"].toArray().isEmpty());
    QVERIFY(plan["workers"]["sentence"].toString().endsWith("was not measured."));
}

void TstPlan::refusesWrongNumbers_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no workers") << QStringList{"--workers", "0"}
                                << "--workers says how many workers a cluster has: 1 to 1024, not "
                                   "0.";
    QTest::newRow("too many workers") << QStringList{"--workers", "1025"} << "1 to 1024, not 1025.";
    QTest::newRow("network") << QStringList{"--network", "7"} << "is not one of its choices";
}

void TstPlan::refusesWrongNumbers()
{
    QFETCH(QStringList, options);
    QFETCH(QString, sentence);
    const ProjectFixture project;
    const ProgramResult result = project.run(QStringList{"plan", "fixture.cannery"} + options);
    QCOMPARE(result.exitCode, 2);
    QVERIFY2(result.err.contains(sentence), qPrintable(result.err));
}

CANNERY_TEST(TstPlan)
#include "tst_plan.moc"
