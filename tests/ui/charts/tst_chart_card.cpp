// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"
#include "ui/charts/curves/chart_link.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QJsonObject>
#include <QSignalSpy>

using namespace cannery::ui;
using namespace cannery::tests;

class TstChartCard : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void D21_userZoomSurvivesData();
    void D23_valuesThatALogAxisCannotShowAreCounted();
    void D26_fixedGutter();
    void D28_readoutIsWhatWasLogged();
    void D33_chartForAssistiveTechnology();
    void theHeadlineIsTheCurveThatWasAskedFor();
    void noToolTipCoversThePlot();
    void hairlineNeverRepaintsCurves();
    void outliersAreLeftOutOfTheVisibleRange();
    void emptyAndSinglePointsAreShown();
};

void TstChartCard::D21_userZoomSurvivesData()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 5000, wave);
    stage.showCurves();
    stage.show();
    auto* follow = stage.card.findChild<QWidget*>("chart.follow");
    QVERIFY(!follow->isVisible());
    QVERIFY(stage.card.options().follows());
    QSignalSpy changed(&stage.card, &ChartCard::optionsChanged);

    // A drag from one quarter to three quarters.
    QTest::mousePress(stage.canvas(), Qt::LeftButton, {}, stage.inCanvas(0.25, 0.5));
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.5, 0.5));
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.75, 0.5));
    QTest::mouseRelease(stage.canvas(), Qt::LeftButton, {}, stage.inCanvas(0.75, 0.5));
    stage.settle();
    QCOMPARE(changed.size(), 1);
    const AxisLimits zoomed = stage.card.canvas().plot().axes.x().limits();
    QVERIFY(std::fabs(zoomed.min - 0.25 * 5100) < 30 && std::fabs(zoomed.max - 0.75 * 5100) < 30);
    QVERIFY(follow->isVisible());

    for (int i = 0; i < 1000; ++i) {
        series.add(5000 + i, 90);
    }
    series.publish();
    stage.tellOf(series);
    stage.settle(300);
    QCOMPARE(stage.card.canvas().plot().axes.x().limits(), zoomed);
    // To another page and back.
    stage.window.hide();
    stage.settle();
    stage.show();
    QCOMPARE(stage.card.canvas().plot().axes.x().limits(), zoomed);
    // A restart.
    CardStage next;
    fill(next.addSeries(), 6000, wave);
    next.showCurves();
    next.card.setOptions(chartOptionsFromJson(toJson(stage.card.options())));
    next.show();
    QCOMPARE(next.card.canvas().plot().axes.x().limits(), zoomed);
    QVERIFY(next.card.findChild<QWidget*>("chart.follow")->isVisible());
    next.card.perform(ChartCommand::Follow);
    next.settle();
    QVERIFY(next.card.canvas().plot().axes.x().limits().max >= 5999);
}

void TstChartCard::D23_valuesThatALogAxisCannotShowAreCounted()
{
    CardStage stage;
    fill(stage.addSeries(), 400,
         [](int i) { return i % 10 == 3 && i < 370 ? -float(i % 20) : 0.001F * float(1 + i); });
    stage.showCurves();
    stage.show();
    QCOMPARE(stage.card.canvas().plot().content.hiddenCount(), 0);
    ChartOptions options;
    options.logY = true;
    stage.card.setOptions(options);
    stage.settle();
    QCOMPARE(stage.card.canvas().plot().content.hiddenCount(), 37);
    QVERIFY(stage.card.header().summary().contains("37 values ≤ 0 hidden"));
    QVERIFY(stage.card.toolTip().contains("37"));
    QVERIFY(stage.card.canvas().plot().axes.y().limits().min > 0 &&
            stage.card.canvas().plot().axes.y().limits().min <= 0.001 * 1.001);
    options.logY = false;
    stage.card.setOptions(options);
    stage.settle();
    QCOMPARE(stage.card.canvas().plot().content.hiddenCount(), 0);
    QVERIFY(stage.card.canvas().plot().axes.y().limits().min <= -13);
}

void TstChartCard::D26_fixedGutter()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, [](int i) { return float(i) / 100; });
    stage.showCurves();
    stage.show();
    const QRectF before = plotRectangle(stage.card);
    series.add(100'000, 100'000);
    series.publish();
    stage.tellOf(series);
    stage.settle(2000);
    QVERIFY(stage.card.canvas().plot().axes.y().limits().max >= 100'000);
    QCOMPARE(plotRectangle(stage.card), before);
    series.add(100'001, -3e-7F);
    series.publish();
    stage.tellOf(series);
    stage.settle(2000);
    QCOMPARE(plotRectangle(stage.card), before);
}

void TstChartCard::D28_readoutIsWhatWasLogged()
{
    CardStage stage;
    const auto value = [](int i) { return 1.0F / float(i + 3); };
    fill(stage.addSeries("run-001"), 100'000, value);
    fill(stage.addSeries("run-002"), 100'000, [](int i) { return 2.0F / float(i + 3); });
    stage.showCurves();
    stage.show();
    QSignalSpy moved(&stage.card, &ChartCard::cursorMoved);
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.3, 0.5));
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.5, 0.5));
    QVERIFY(!moved.isEmpty());
    const QList<ReadoutRow> rows = stage.card.cursor().rows();
    QCOMPARE(rows.size(), 2);
    const qint64 step = rows.front().step;
    QCOMPARE(double(step), stage.card.cursor().x().value());
    QCOMPARE(rows[0].run, QString("run-002"));
    QCOMPARE(rows[0].value, 2.0F / float(step + 3));
    QCOMPARE(rows[1].value, 1.0F / float(step + 3));
    QVERIFY(rows[0].wallTime > 1.6e9);
    const QStringList lines = readoutText(stage.card.cursor().rows()).trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1].split('\t').size(), lines[0].split('\t').size());
    QCOMPARE(lines[1].split('\t')[3].toFloat(), rows[0].value);

    // Only the hairline, for screen magnifiers.
    const auto differs = [&](bool shown) {
        stage.card.cursor().setReadoutShown(shown);
        stage.settle();
        const QImage with = stage.plot();
        stage.card.cursor().setX(std::nullopt);
        stage.settle();
        const QImage without = stage.plot();
        stage.card.cursor().setX(double(step));
        int count = 0;
        for (int y = 0; y < with.height(); ++y) {
            for (int x = 0; x < with.width(); ++x) {
                count += with.pixel(x, y) != without.pixel(x, y) ? 1 : 0;
            }
        }
        return count;
    };
    const int withReadout = differs(true);
    const int hairline = differs(false);
    QVERIFY(hairline > 0 && hairline < withReadout / 3);
    QSignalSpy pinned(&stage.card, &ChartCard::pinRequested);
    stage.card.setFocus();
    QTest::keyClick(&stage.card, Qt::Key_Return);
    QCOMPARE(pinned.size(), 1);
}

void TstChartCard::D33_chartForAssistiveTechnology()
{
    CardStage stage;
    const auto falling = [](int i) { return 0.31F + 0.01F * float(49 - i); };
    fill(stage.addSeries("run-001"), 50, falling);
    fill(stage.addSeries("run-002"), 40, falling);
    stage.showCurves();
    stage.show();
    QCOMPARE(stage.card.header().summary(), QString("loss, 2 runs, last 0.31, falling"));
    QAccessibleInterface* chart = QAccessible::queryAccessibleInterface(&stage.card);
    QVERIFY(chart);
    QCOMPARE(chart->role(), QAccessible::Chart);
    QCOMPARE(chart->text(QAccessible::Name), QString("loss"));
    QCOMPARE(chart->text(QAccessible::Value), stage.card.header().summary());
    QAccessibleTableInterface* table = chart->tableInterface();
    QVERIFY(table);
    QCOMPARE(table->rowCount(), 50);
    QCOMPARE(table->columnCount(), 3);
    QCOMPARE(table->columnDescription(1), QString("run-001"));
    for (int row = 0; row < 50; ++row) {
        QAccessibleInterface* cell = table->cellAt(row, 1);
        QVERIFY(cell && cell->tableCellInterface());
        QCOMPARE(cell->tableCellInterface()->rowIndex(), row);
        QCOMPARE(cell->text(QAccessible::Name).toFloat(), falling(row));
        QCOMPARE(table->cellAt(row, 0)->text(QAccessible::Name), QString::number(row));
        QCOMPARE(table->cellAt(row, 2)->text(QAccessible::Name).isEmpty(), row >= 40);
    }
    QVERIFY(!table->cellAt(50, 0));
    QAccessibleInterface* last = chart->child(chart->childCount() - 1);
    QCOMPARE(last->role(), QAccessible::Table);
    QCOMPARE(last->childCount(), 150);
    QCOMPARE(last->parent(), chart);
    // When moved by keys, the value says where.
    stage.card.setFocus();
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QCOMPARE(stage.card.cursor().x().value(), 1.0);
    QVERIFY(chart->text(QAccessible::Value).contains("step 1"));
    // Of a million points only a part is reported, and the description says so.
    fill(stage.addSeries("run-003"), 100'000, wave);
    stage.showCurves();
    stage.settle();
    QCOMPARE(chart->tableInterface()->rowCount(), 1000);
    QVERIFY(chart->child(chart->childCount() - 1)
                ->text(QAccessible::Description)
                .contains("1000 of 100000"));
}

void TstChartCard::theHeadlineIsTheCurveThatWasAskedFor()
{
    CardStage stage;
    fill(stage.addSeries("run-001"), 50, [](int) { return 1.0F; });
    fill(stage.addSeries("run-001", "eval"), 50, [](int i) { return 0.9081F - float(49 - i); });
    stage.showCurves();
    stage.card.header().setHeadline("run-001 evaluation");
    stage.card.header().setNote("best 0.9416");
    stage.show();
    QVERIFY2(stage.card.header().summary().startsWith(
                 "loss, 1 run, run-001 evaluation 0.9081, run-001 1, best 0.9416"),
             qPrintable(stage.card.header().summary()));
    // Before the first evaluation, no training value is shown instead.
    stage.card.setCurves({curveOf(*stage.series.front())});
    stage.settle();
    QCOMPARE(stage.card.header().summary(), QString("loss, 1 run, run-001 1, best 0.9416"));
}

void TstChartCard::noToolTipCoversThePlot()
{
    CardStage stage;
    fill(stage.addSeries(), 50, [](int) { return 1.0F; });
    stage.showCurves();
    stage.card.header().setTitle("Loss");
    stage.show();
    const auto accepts = [&](const QPoint& place) {
        QHelpEvent event(QEvent::ToolTip, place, stage.card.mapToGlobal(place));
        QApplication::sendEvent(&stage.card, &event);
        return event.isAccepted();
    };
    QVERIFY(!stage.card.toolTip().isEmpty());
    QVERIFY(accepts({40, 12}));
    QVERIFY(!accepts(plotRectangle(stage.card).center().toPoint()));
}

void TstChartCard::hairlineNeverRepaintsCurves()
{
    CardStage stage;
    fill(stage.addSeries(), 5000, wave);
    stage.showCurves();
    stage.show();
    const int before = stage.card.canvas().paintCount();
    for (int i = 1; i < 50; ++i) {
        QTest::mouseMove(stage.canvas(), stage.inCanvas(i / 50.0, 0.5));
        stage.settle(20);
    }
    QVERIFY(stage.card.cursor().x().has_value());
    QCOMPARE(stage.card.canvas().paintCount(), before);
}

void TstChartCard::outliersAreLeftOutOfTheVisibleRange()
{
    CardStage stage;
    fill(stage.addSeries(), 10'000, [](int i) {
        return i < 5000 ? 100.0F : i % 100 == 7 ? 50.0F : 1.0F + float(i % 10) / 10;
    });
    stage.showCurves();
    ChartOptions options;
    options.ignoreOutliers = true;
    options.xLimits = AxisLimits{5000, 9999};
    stage.card.setOptions(options);
    stage.show();
    // Of the visible values: neither the 100 of the first half nor the spikes.
    QVERIFY(stage.card.canvas().plot().axes.y().limits().max < 4);
    stage.card.perform(ChartCommand::Outliers);
    stage.settle();
    QVERIFY(stage.card.canvas().plot().axes.y().limits().max >= 50 &&
            stage.card.canvas().plot().axes.y().limits().max < 100);
}

void TstChartCard::emptyAndSinglePointsAreShown()
{
    CardStage stage;
    stage.show();
    QCOMPARE(stage.card.header().summary(), QString("loss, no values"));
    ScriptedSeries& series = stage.addSeries();
    stage.showCurves();
    stage.settle();
    QVERIFY(stage.card.cursor().rows().isEmpty());
    series.add(7, 0.5F);
    series.publish();
    stage.tellOf(series);
    stage.settle(200);
    const QImage image = stage.plot();
    QVERIFY(pixelsOfSlot(image, 0, image.rect()) > 8);
    QVERIFY(stage.card.canvas().plot().axes.x().limits().min < 7 &&
            stage.card.canvas().plot().axes.x().limits().max > 7);
}

CANNERY_TEST(TstChartCard)
#include "tst_chart_card.moc"
