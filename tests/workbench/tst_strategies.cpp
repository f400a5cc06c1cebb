// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_schema.h"

#include <QFile>

using namespace cannery::tests;
using namespace cannery::ui;

/// Every strategy of the schema is picked as a tile by mouse, and a run trains with it.
class TstStrategies : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aStrategyIsPickedAndTrains_data();
    void aStrategyIsPickedAndTrains();
};

void TstStrategies::aStrategyIsPickedAndTrains_data()
{
    QTest::addColumn<QString>("strategy");
    const std::optional<MessageSchema> strategies = messageSchema("strategy");
    QVERIFY(strategies);
    QVERIFY(!strategies->members().isEmpty());
    for (const FieldSchema& member : strategies->members()) {
        QTest::newRow(qPrintable(member.name)) << member.name;
    }
}

void TstStrategies::aStrategyIsPickedAndTrains()
{
    QFETCH(QString, strategy);
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.setField("train_spec.max_steps", "40"));
    bench.window().navigate("model");
    const QString tile = "tile." + strategy;
    QVERIFY(bench.waitFor([&] { return bench.click("tile.one_device"); })); // shows the others
    QVERIFY(bench.waitFor([&] { return bench.find<QAbstractButton>(tile) != nullptr; }));
    QVERIFY(bench.click(tile));
    const ExperimentDocument& document = bench.session().document();
    // The document has a field for a strategy once it is chosen.
    QVERIFY(bench.waitFor([&] {
        const FieldNode* field = document.field("strategy." + strategy);
        return field != nullptr && !field->isDefault;
    }));
    QVERIFY(bench.waitFor([&] {
        const auto* button = bench.find<QAbstractButton>(tile);
        return button != nullptr && button->isChecked();
    }));

    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    QFile frozen(bench.newestRun()->folder + "/experiment.cannery");
    QVERIFY(frozen.open(QIODevice::ReadOnly));
    QVERIFY(frozen.readAll().contains(strategy.toUtf8() + " {"));
    QVERIFY(bench.newestRun()->metric("accuracy"));
}

CANNERY_TEST(TstStrategies)
#include "tst_strategies.moc"
