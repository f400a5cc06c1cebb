// SPDX-License-Identifier: Apache-2.0
#include "core/spec/spec_resolver.h"
#include "core/spec/strategy_devices.h"
#include "core/spec/text/parsed_experiment.h"
#include "core/strategies/strategy_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

using namespace cannery;
using namespace cannery::strategies;

class TstStrategyCatalog : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shardsAreReplicasUnlessSet_data();
    void shardsAreReplicasUnlessSet();
    void batchNormalizationLooksAcrossShardsIfItIsGlobal();
    void refusesProcessesThatCannotShare();
    void everyKindTakesThePlaceOfAnother();
};

namespace {

spec::Experiment resolved(const QString& strategy)
{
    const QString text = "train_spec { input { batch_size: 16 } } strategy { " + strategy + " }";
    return spec::resolve(spec::parseExperiment(text.toStdString()).experiment);
}

} // namespace

void TstStrategyCatalog::shardsAreReplicasUnlessSet_data()
{
    QTest::addColumn<QString>("strategy");
    QTest::addColumn<int>("rank");
    QTest::addColumn<int>("processes");
    QTest::addColumn<QList<int>>("sharding"); // total, first, count
    const QString two = R"(mirrored { devices: ["CPU:0", "CPU:1"] })";
    QTest::newRow("none") << "" << 0 << 1 << QList<int>{1, 0, 1};
    QTest::newRow("one device") << "one_device {}" << 0 << 1 << QList<int>{1, 0, 1};
    QTest::newRow("mirrored, no device") << "mirrored {}" << 0 << 1 << QList<int>{1, 0, 1};
    QTest::newRow("mirrored") << two << 0 << 1 << QList<int>{2, 0, 2};
    QTest::newRow("central storage")
        << R"(central_storage { compute_devices: ["CPU:0", "CPU:1", "CPU:2"] })" << 0 << 1
        << QList<int>{3, 0, 3};
    QTest::newRow("virtual shards") << two + " virtual_shards: 8" << 0 << 1 << QList<int>{8, 0, 8};
    QTest::newRow("virtual shards of one device")
        << "one_device {} virtual_shards: 8" << 0 << 1 << QList<int>{8, 0, 8};
    QTest::newRow("third of three workers")
        << "multi_worker_mirrored {}" << 2 << 3 << QList<int>{3, 2, 1};
    QTest::newRow("second of four workers, virtual shards")
        << "multi_worker_mirrored {} virtual_shards: 8" << 1 << 4 << QList<int>{8, 2, 2};
}

void TstStrategyCatalog::shardsAreReplicasUnlessSet()
{
    QFETCH(QString, strategy);
    QFETCH(int, rank);
    QFETCH(int, processes);
    QFETCH(QList<int>, sharding);
    const auto found = shardingOf(resolved(strategy), {.rank = rank, .count = processes});
    VERIFY_OK(found);
    QCOMPARE(QList<int>({static_cast<int>(found->total), static_cast<int>(found->first),
                         static_cast<int>(found->count)}),
             sharding);
    QCOMPARE(found->batchRows, 16);
}

void TstStrategyCatalog::batchNormalizationLooksAcrossShardsIfItIsGlobal()
{
    for (const auto& [strategy, isAcross] : {std::pair{"mirrored {}", false},
                                             {"mirrored {} batch_norm_scope: replica", false},
                                             {"mirrored {} batch_norm_scope: global", true}}) {
        const auto found = shardingOf(resolved(strategy));
        VERIFY_OK(found);
        QCOMPARE(found->isAcross, isAcross);
    }
}

void TstStrategyCatalog::refusesProcessesThatCannotShare()
{
    const spec::Experiment experiment = resolved("multi_worker_mirrored {} virtual_shards: 8");
    const auto three = shardingOf(experiment, {.rank = 0, .count = 3});
    const auto many = shardingOf(experiment, {.rank = 0, .count = 16});
    VERIFY_ERROR(three, "strategies.shards_of_processes");
    VERIFY_ERROR(many, "strategies.shards_of_processes");
    // What each advises is allowed.
    QVERIFY(three.error().message().find("take 2 or 4 workers") != std::string::npos);
    QVERIFY(many.error().message().find("set virtual_shards to 16") != std::string::npos);
}

/// With a replica per CPU where a strategy lists devices; what is not the kind's own stays.
void TstStrategyCatalog::everyKindTakesThePlaceOfAnother()
{
    const spec::Experiment before =
        resolved(R"(mirrored { devices: ["CPU:5"] } virtual_shards: 16)");
    for (const StrategyRow& row : strategyCatalog()) {
        spec::Experiment experiment = before;
        *experiment.mutable_strategy() = spec::withKind(before.strategy(), row.key, 4);
        QCOMPARE(&strategyOf(experiment), &row);
        QCOMPARE(experiment.strategy().virtual_shards(), 16);
        const bool hasDevices =
            row.key == spec::Strategy::kMirrored || row.key == spec::Strategy::kCentralStorage;
        QCOMPARE(spec::replicasPerProcess(experiment.strategy()), hasDevices ? 4 : 1);
        QVERIFY(!row.needs.empty());
    }
    const auto mirrored = spec::withKind(before.strategy(), spec::Strategy::kMirrored, 2);
    QCOMPARE(spec::devicesOf(mirrored).names, (std::vector<std::string>{"CPU:0", "CPU:1"}));
}

CANNERY_TEST(TstStrategyCatalog)
#include "tst_strategy_catalog.moc"
