// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/workbench/workbench_fixture.h"
#include "ui/charts/curves/chart_card.h"
#include "ui/charts/curves/chart_header.h"
#include "ui/frame/main_window.h"
#include "ui/pages/train/train_charts.h"

#include <algorithm>

using namespace cannery::tests;
using namespace cannery::ui;

/// The charts of a run that logs less than others.
class TstTrainCharts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void clustersHaveNoEmptyCharts();
    void guessingIsALineBesideTheMetric();
};

void TstTrainCharts::clustersHaveNoEmptyCharts()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguin_groups"));
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    bench.window().navigate("train");
    const auto* charts = bench.window().findChild<TrainCharts*>();
    QVERIFY(charts != nullptr);
    QVERIFY(bench.waitFor([&] {
        const QList<ChartCard*> cards = charts->findChildren<ChartCard*>();
        return charts->loss().isVisible() && !charts->loss().curves().isEmpty() &&
               std::none_of(cards.begin(), cards.end(), [](const ChartCard* card) {
                   return card->isVisible() && card->curves().isEmpty();
               });
    }));
    QVERIFY(bench.waitFor([&] { return charts->loss().width() > charts->width() * 9 / 10; }));
}

void TstTrainCharts::guessingIsALineBesideTheMetric()
{
    WorkbenchFixture bench;
    bench.open();
    QVERIFY(bench.openSample("penguins"));
    QVERIFY(bench.waitFor([&] { return bench.trigger("action.train"); }));
    QVERIFY(bench.waitForState(RunState::Finished));
    bench.window().navigate("train");
    const auto* charts = bench.window().findChild<TrainCharts*>();
    QVERIFY(bench.waitFor([&] { return charts->decision().curves().size() == 3; }));
    QCOMPARE(charts->decision().header().title(), "Accuracy");
    const Curve& guess = charts->decision().curves().last();
    QCOMPARE(guess.label, "guessing");
    QVERIFY(guess.colourSlot != charts->decision().curves().first().colourSlot);
    QVERIFY(!guess.series->values().empty());
    QCOMPARE(*std::ranges::min_element(guess.series->values()),
             *std::ranges::max_element(guess.series->values()));
    QVERIFY(guess.series->values().front() < 0.6 && guess.series->values().front() > 0.3);
    bench.picture("train-guessing");
}

CANNERY_TEST(TstTrainCharts)
#include "tst_train_charts.moc"
