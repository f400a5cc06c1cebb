// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"

#include <QScrollArea>

using namespace cannery::ui;
using namespace cannery::tests;

class TstChartPace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void D17_pointToPixelLatency();
    void D17_burstsOfPointsPaintFiveTimesASecond();
    void D27_hiddenWorkStops();
    void D27_scrolledOutOfViewNothingIsPainted();
    void D27_unfocusedAtMostFourTimesASecond();
};

void TstChartPace::D17_pointToPixelLatency()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const int before = stage.card.canvas().paintCount();
    const AxisLimits seen = stage.card.canvas().plot().axes.x().limits();
    series.add(200, 5);
    series.publish();
    stage.tellOf(series);
    stage.settle(0);
    QCOMPARE(stage.card.canvas().paintCount(), before + 1);
    QVERIFY(stage.card.canvas().plot().axes.x().limits().max >= 200 &&
            stage.card.canvas().plot().axes.x().limits().max > seen.max);
    QVERIFY(stage.card.canvas().plot().axes.y().limits().max >= 5);
    // For another series: no paint.
    stage.card.seriesChanged({SeriesKey{"run-001", "eval", "loss"}});
    stage.settle(1000);
    QCOMPARE(stage.card.canvas().paintCount(), before + 1);
}

void TstChartPace::D17_burstsOfPointsPaintFiveTimesASecond()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const int before = stage.card.canvas().paintCount();
    for (int i = 0; i < 200; ++i) {
        series.add(100 + i, 0);
        series.publish();
        stage.tellOf(series);
        stage.settle(5);
    }
    QVERIFY(stage.card.canvas().paintCount() - before >= 4);
    QVERIFY(stage.card.canvas().paintCount() - before <= 6);
    // User input is painted at 60 a second.
    const int beforeKeys = stage.card.canvas().paintCount();
    for (int i = 0; i < 200; ++i) {
        stage.card.perform(i % 2 ? ChartCommand::ZoomIn : ChartCommand::ZoomOut);
        stage.settle(5);
    }
    QVERIFY(stage.card.canvas().paintCount() - beforeKeys <= 63);
}

void TstChartPace::D27_hiddenWorkStops()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const auto feed = [&] {
        const int before = stage.card.canvas().paintCount();
        for (int i = 0; i < 40; ++i) {
            series.add(series.steps().back() + 1, 0.5F);
            series.publish();
            stage.tellOf(series);
            stage.settle(100);
        }
        return stage.card.canvas().paintCount() - before;
    };
    QVERIFY(feed() >= 15);
    stage.window.hide();
    stage.settle();
    QCOMPARE(feed(), 0);
    stage.show();
    stage.settle(100);
    QVERIFY(stage.card.canvas().plot().axes.x().limits().max >= double(series.steps().back()));
    stage.window.showMinimized();
    stage.settle();
    QCOMPARE(feed(), 0);
    stage.window.showNormal();
    stage.settle(300);
    QTRY_VERIFY_WITH_TIMEOUT((stage.settle(100), stage.card.canvas().plot().axes.x().limits().max >=
                                                     double(series.steps().back())),
                             kPatience);
}

void TstChartPace::D27_scrolledOutOfViewNothingIsPainted()
{
    CardStage stage({480, 300});
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    QScrollArea area;
    auto* content = new QWidget;
    content->resize(480, 3000);
    stage.card.setParent(content);
    stage.card.setGeometry(0, 1500, 480, 300);
    area.setWidget(content);
    area.resize(500, 400);
    area.show();
    area.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&area, kPatience));
    stage.settle(1000);
    for (int i = 0; i < 40; ++i) {
        series.add(100 + i, 0.5F);
        series.publish();
        stage.tellOf(series);
        stage.settle(100);
    }
    QCOMPARE(stage.card.canvas().paintCount(), 0);
    area.ensureVisible(200, 1600, 50, 300);
    stage.settle(0);
    QVERIFY(stage.card.canvas().paintCount() > 0);
    QVERIFY(stage.card.canvas().plot().axes.x().limits().max >= 139);
    stage.card.setParent(nullptr);
}

void TstChartPace::D27_unfocusedAtMostFourTimesASecond()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    QWidget other;
    other.show();
    other.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&other, kPatience));
    QVERIFY(!stage.window.isActiveWindow());
    stage.settle(1000);
    const int before = stage.card.canvas().paintCount();
    for (int i = 0; i < 300; ++i) {
        series.add(100 + i, 0.5F);
        series.publish();
        stage.tellOf(series);
        stage.settle(10);
    }
    const int paints = stage.card.canvas().paintCount() - before;
    QVERIFY(paints >= 10);
    QVERIFY(paints <= 13);
}

CANNERY_TEST(TstChartPace)
#include "tst_chart_pace.moc"
