// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"
#include "ui/charts/chart_link.h"
#include "ui/widgets/painting.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QJsonObject>
#include <QScrollArea>
#include <QSignalSpy>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void fill(ScriptedSeries& series, int count, float (*value)(int))
{
    for (int i = 0; i < count; ++i) {
        series.add(i, value(i));
    }
    series.publish();
}

float wave(int i)
{
    return std::sin(float(i) * 0.01F);
}

int pixelsOfSlot(const QImage& image, int slot, const QRect& where)
{
    int count = 0;
    for (int y = where.top(); y <= where.bottom(); ++y) {
        for (int x = where.left(); x <= where.right(); ++x) {
            count += image.rect().contains(x, y) && isOfSlot(image.pixel(x, y), slot) ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class TstChartCard : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void D17_pointToPixelLatency();
    void D17_burstsOfPointsPaintFiveTimesASecond();
    void D18_twoVerticesAColumnAndSeries();
    void D19_noDroppedSpike();
    void D20_denseCurvesAreOnePixelWide();
    void D21_userZoomSurvivesData();
    void D22_rawValuesStayBehindASmoothedCurve();
    void D23_valuesThatALogAxisCannotShowAreCounted();
    void D24_nanAndInfinityAreMarked();
    void D25_resumedRunsNeverGoLeft();
    void D26_fixedGutter();
    void D27_hiddenWorkStops();
    void D27_scrolledOutOfViewNothingIsPainted();
    void D27_unfocusedAtMostFourTimesASecond();
    void D28_readoutIsWhatWasLogged();
    void D33_chartForAssistiveTechnology();
    void theHeadlineIsTheCurveThatWasAskedFor();
    void noToolTipCoversThePlot();
    void D34_curvesContrastInBothThemes();
    void hairlineNeverRepaintsCurves();
    void outliersAreLeftOutOfTheVisibleRange();
    void emptyAndSinglePointsAreShown();
};

void TstChartCard::D17_pointToPixelLatency()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const int before = stage.card.paintCount();
    const AxisLimits seen = stage.card.visibleX();
    series.add(200, 5);
    series.publish();
    stage.tellOf(series);
    stage.settle(0);
    QCOMPARE(stage.card.paintCount(), before + 1);
    QVERIFY(stage.card.visibleX().max >= 200 && stage.card.visibleX().max > seen.max);
    QVERIFY(stage.card.visibleY().max >= 5);
    // Of another series: no paint.
    stage.card.seriesChanged({SeriesKey{"run-001", "eval", "loss"}});
    stage.settle(1000);
    QCOMPARE(stage.card.paintCount(), before + 1);
}

void TstChartCard::D17_burstsOfPointsPaintFiveTimesASecond()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const int before = stage.card.paintCount();
    for (int i = 0; i < 200; ++i) {
        series.add(100 + i, 0);
        series.publish();
        stage.tellOf(series);
        stage.settle(5);
    }
    QVERIFY(stage.card.paintCount() - before >= 4);
    QVERIFY(stage.card.paintCount() - before <= 6);
    // What a person does comes at 60 a second.
    const int beforeKeys = stage.card.paintCount();
    for (int i = 0; i < 200; ++i) {
        stage.card.perform(i % 2 ? ChartCommand::ZoomIn : ChartCommand::ZoomOut);
        stage.settle(5);
    }
    QVERIFY(stage.card.paintCount() - beforeKeys <= 63);
}

void TstChartCard::D18_twoVerticesAColumnAndSeries()
{
    CardStage stage({900, 420}, ChartCard::Size::Large);
    for (int i = 0; i < 3; ++i) {
        fill(stage.addSeries(QString("run-%1").arg(i)), 1'000'000,
             [](int at) { return float(qint64(at) * 7919 % 1000); });
    }
    stage.showCurves();
    stage.show();
    const auto most = int(2 * stage.card.plotRectangle().width() * 3);
    QVERIFY(stage.card.vertexCount() > 0);
    QVERIFY(stage.card.vertexCount() <= most);
    for (const AxisLimits limits : {AxisLimits{0, 500'000}, AxisLimits{499'000, 500'500},
                                    AxisLimits{100, 700}, AxisLimits{10, 20}}) {
        ChartOptions options = stage.card.options();
        options.xLimits = limits;
        stage.card.setOptions(options);
        stage.settle();
        QVERIFY(stage.card.vertexCount() > 0);
        QVERIFY(stage.card.vertexCount() <= most);
    }
}

void TstChartCard::D19_noDroppedSpike()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 200'000, [](int i) {
        return i == 50'000 ? 1.0F : i == 120'000 ? 1.0F : i == 120'039 ? -1.0F : 0.0F;
    });
    stage.showCurves();
    stage.show();
    const QImage image = stage.plot();
    const int quarter = int(image.width() * 0.25 / 1.02);
    const int both = int(image.width() * 0.6 / 1.02);
    const QRect upper(0, 0, 5, image.height() / 3);
    const QRect lower(0, image.height() * 2 / 3, 5, image.height() / 3);
    QVERIFY(pixelsOfSlot(image, 0, upper.translated(quarter - 2, 0)) > image.height() / 5);
    QCOMPARE(pixelsOfSlot(image, 0, lower.translated(quarter - 2, 0)), 0);
    QVERIFY(pixelsOfSlot(image, 0, upper.translated(both - 2, 0)) > image.height() / 5);
    QVERIFY(pixelsOfSlot(image, 0, lower.translated(both - 2, 0)) > image.height() / 5);
    // And nowhere else.
    QCOMPARE(pixelsOfSlot(image, 0, QRect(both + 20, 0, 80, image.height() / 3)), 0);
}

void TstChartCard::D20_denseCurvesAreOnePixelWide()
{
    CardStage stage;
    fill(stage.addSeries(), 200'000, [](int i) { return i == 100'000 ? 1.0F : 0.0F; });
    stage.showCurves();
    stage.show();
    const QImage image = stage.plot();
    const int row = image.height() / 2;
    QCOMPARE(pixelsOfSlot(image, 0, QRect(0, row, image.width(), 1)), 1);
    QVERIFY(stage.card.vertexCount() <= 2 * image.width());
}

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

    // A drag from a quarter to three quarters.
    QTest::mousePress(stage.canvas(), Qt::LeftButton, {}, stage.inCanvas(0.25, 0.5));
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.5, 0.5));
    QTest::mouseMove(stage.canvas(), stage.inCanvas(0.75, 0.5));
    QTest::mouseRelease(stage.canvas(), Qt::LeftButton, {}, stage.inCanvas(0.75, 0.5));
    stage.settle();
    QCOMPARE(changed.size(), 1);
    const AxisLimits zoomed = stage.card.visibleX();
    QVERIFY(std::fabs(zoomed.min - 0.25 * 5100) < 30 && std::fabs(zoomed.max - 0.75 * 5100) < 30);
    QVERIFY(follow->isVisible());

    for (int i = 0; i < 1000; ++i) {
        series.add(5000 + i, 90);
    }
    series.publish();
    stage.tellOf(series);
    stage.settle(300);
    QCOMPARE(stage.card.visibleX(), zoomed);
    // Another page, and back.
    stage.window.hide();
    stage.settle();
    stage.show();
    QCOMPARE(stage.card.visibleX(), zoomed);
    // A restart.
    CardStage next;
    fill(next.addSeries(), 6000, wave);
    next.showCurves();
    next.card.setOptions(chartOptionsFromJson(toJson(stage.card.options())));
    next.show();
    QCOMPARE(next.card.visibleX(), zoomed);
    QVERIFY(next.card.findChild<QWidget*>("chart.follow")->isVisible());
    next.card.perform(ChartCommand::Follow);
    next.settle();
    QVERIFY(next.card.visibleX().max >= 5999);
}

void TstChartCard::D22_rawValuesStayBehindASmoothedCurve()
{
    CardStage stage;
    fill(stage.addSeries(), 300, [](int i) { return i == 150 ? 1.0F : 0.0F; });
    stage.showCurves();
    stage.show();
    const int plain = stage.card.vertexCount();
    ChartOptions options;
    options.smoothing = {.kind = SmoothingKind::Exponential, .weight = 0.9};
    stage.card.setOptions(options);
    stage.settle();
    QVERIFY(stage.card.vertexCount() > plain);
    // The spike is still there, faint; the headline keeps the logged value.
    const QImage image = stage.plot();
    const int middle = int(image.width() * 0.5 / 1.02);
    int tinted = 0;
    for (int y = image.height() / 4; y < image.height() / 2; ++y) {
        for (int x = middle - 4; x <= middle + 4; ++x) {
            const QColor pixel(image.pixel(x, y));
            tinted += pixel.blue() - pixel.red() > 20 ? 1 : 0;
        }
    }
    QVERIFY(tinted > image.height() / 6);
    stage.card.setCursor(150);
    QCOMPARE(stage.card.readout().front().value, 1.0F);
    QVERIFY(stage.card.readout().front().smoothed.value() < 0.2);
}

void TstChartCard::D23_valuesThatALogAxisCannotShowAreCounted()
{
    CardStage stage;
    fill(stage.addSeries(), 400,
         [](int i) { return i % 10 == 3 && i < 370 ? -float(i % 20) : 0.001F * float(1 + i); });
    stage.showCurves();
    stage.show();
    QCOMPARE(stage.card.hiddenCount(), 0);
    ChartOptions options;
    options.logY = true;
    stage.card.setOptions(options);
    stage.settle();
    QCOMPARE(stage.card.hiddenCount(), 37);
    QVERIFY(stage.card.summary().contains("37 values ≤ 0 hidden"));
    QVERIFY(stage.card.toolTip().contains("37"));
    QVERIFY(stage.card.visibleY().min > 0 && stage.card.visibleY().min <= 0.001 * 1.001);
    options.logY = false;
    stage.card.setOptions(options);
    stage.settle();
    QCOMPARE(stage.card.hiddenCount(), 0);
    QVERIFY(stage.card.visibleY().min <= -13);
}

void TstChartCard::D24_nanAndInfinityAreMarked()
{
    CardStage stage;
    fill(stage.addSeries(), 100, [](int i) {
        return i >= 40 && i < 50 ? kNaN : i == 20 ? kInfinity : i == 80 ? -kInfinity : 0.5F;
    });
    stage.showCurves();
    ChartOptions options;
    options.xLimits = AxisLimits{0, 100};
    options.yLimits = AxisLimits{0, 1};
    stage.card.setOptions(options);
    stage.show();
    QCOMPARE(stage.card.nonFiniteCount(), 12);
    QVERIFY(stage.card.summary().contains("10 NaN"));
    QVERIFY(stage.card.summary().contains("2 ∞"));
    const QImage image = stage.plot();
    const auto column = [&](double step) { return int(image.width() * step / 100); };
    // The line has gaps.
    const QRect line(0, image.height() / 2 - 3, 3, 7);
    QVERIFY(pixelsOfSlot(image, 0, line.translated(column(30), 0)) > 0);
    QCOMPARE(pixelsOfSlot(image, 0, line.translated(column(45), 0)), 0);
    QCOMPARE(pixelsOfSlot(image, 0, line.translated(column(20) - 1, 0)), 0);
    // Marks: NaN and −∞ at the bottom, ∞ at the top.
    const QRect top(-5, 0, 11, 10);
    const QRect bottom(-5, image.height() - 10, 11, 10);
    QVERIFY(pixelsOfSlot(image, 0, bottom.translated(column(40), 0)) > 4);
    QVERIFY(pixelsOfSlot(image, 0, top.translated(column(20), 0)) > 4);
    QVERIFY(pixelsOfSlot(image, 0, bottom.translated(column(80), 0)) > 4);
    QCOMPARE(pixelsOfSlot(image, 0, top.translated(column(40), 0)), 0);
    QCOMPARE(pixelsOfSlot(image, 0, bottom.translated(column(60), 0)), 0);
}

void TstChartCard::D25_resumedRunsNeverGoLeft()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    for (int i = 0; i <= 60; ++i) {
        series.add(i, 0.8F);
    }
    for (int i = 40; i <= 100; ++i) {
        series.add(i, 0.2F);
    }
    series.publish();
    QCOMPARE(series.segments().size(), size_t(2));
    QCOMPARE(series.segments()[0].overwrittenFrom, qsizetype(40));
    stage.showCurves();
    ChartOptions options;
    options.xLimits = AxisLimits{0, 100};
    options.yLimits = AxisLimits{0, 1};
    stage.card.setOptions(options);
    stage.show();
    const QImage image = stage.plot();
    const auto column = [&](double step) { return int(image.width() * step / 100); };
    // Nothing joins 0.8 at step 60 with 0.2 at step 40.
    const QRect between(column(38), image.height() / 3, column(24), image.height() / 3);
    QCOMPARE(pixelsOfSlot(image, 0, between), 0);
    // What was overwritten is dotted: fewer pixels than the same length of line.
    const QRect level(0, image.height() / 5 - 3, column(18), 7);
    const int solid = pixelsOfSlot(image, 0, level.translated(column(10), 0));
    const int before = stage.card.vertexCount();
    QVERIFY(solid > column(15));
    QVERIFY(pixelsOfSlot(image, 0, level.translated(column(41), 0)) < solid / 2);
    stage.card.perform(ChartCommand::ShowOverwritten);
    stage.settle();
    QVERIFY(stage.card.vertexCount() < before);
}

void TstChartCard::D26_fixedGutter()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, [](int i) { return float(i) / 100; });
    stage.showCurves();
    stage.show();
    const QRectF before = stage.card.plotRectangle();
    series.add(100'000, 100'000);
    series.publish();
    stage.tellOf(series);
    stage.settle(2000);
    QVERIFY(stage.card.visibleY().max >= 100'000);
    QCOMPARE(stage.card.plotRectangle(), before);
    series.add(100'001, -3e-7F);
    series.publish();
    stage.tellOf(series);
    stage.settle(2000);
    QCOMPARE(stage.card.plotRectangle(), before);
}

void TstChartCard::D27_hiddenWorkStops()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 100, wave);
    stage.showCurves();
    stage.show();
    stage.settle(1000);
    const auto feed = [&] {
        const int before = stage.card.paintCount();
        for (int i = 0; i < 40; ++i) {
            series.add(series.steps().back() + 1, 0.5F);
            series.publish();
            stage.tellOf(series);
            stage.settle(100);
        }
        return stage.card.paintCount() - before;
    };
    QVERIFY(feed() >= 15);
    stage.window.hide();
    stage.settle();
    QCOMPARE(feed(), 0);
    stage.show();
    stage.settle(100);
    QVERIFY(stage.card.visibleX().max >= double(series.steps().back()));
    stage.window.showMinimized();
    stage.settle();
    QCOMPARE(feed(), 0);
    stage.window.showNormal();
    stage.settle(300);
    QTRY_VERIFY_WITH_TIMEOUT(
        (stage.settle(100), stage.card.visibleX().max >= double(series.steps().back())), kPatience);
}

void TstChartCard::D27_scrolledOutOfViewNothingIsPainted()
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
    QCOMPARE(stage.card.paintCount(), 0);
    area.ensureVisible(200, 1600, 50, 300);
    stage.settle(0);
    QVERIFY(stage.card.paintCount() > 0);
    QVERIFY(stage.card.visibleX().max >= 139);
    stage.card.setParent(nullptr);
}

void TstChartCard::D27_unfocusedAtMostFourTimesASecond()
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
    const int before = stage.card.paintCount();
    for (int i = 0; i < 300; ++i) {
        series.add(100 + i, 0.5F);
        series.publish();
        stage.tellOf(series);
        stage.settle(10);
    }
    const int paints = stage.card.paintCount() - before;
    QVERIFY(paints >= 10);
    QVERIFY(paints <= 13);
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
    const QList<ReadoutRow> rows = stage.card.readout();
    QCOMPARE(rows.size(), 2);
    const qint64 step = rows.front().step;
    QCOMPARE(double(step), stage.card.cursor().value());
    QCOMPARE(rows[0].run, QString("run-002"));
    QCOMPARE(rows[0].value, 2.0F / float(step + 3));
    QCOMPARE(rows[1].value, 1.0F / float(step + 3));
    QVERIFY(rows[0].wallTime > 1.6e9);
    const QStringList lines = stage.card.valuesAsText().trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[1].split('\t').size(), lines[0].split('\t').size());
    QCOMPARE(lines[1].split('\t')[3].toFloat(), rows[0].value);

    // The hairline alone, for screen magnifiers.
    const auto differs = [&](bool shown) {
        stage.card.setHoverReadoutShown(shown);
        stage.settle();
        const QImage with = stage.plot();
        stage.card.setCursor(std::nullopt);
        stage.settle();
        const QImage without = stage.plot();
        stage.card.setCursor(double(step));
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
    QCOMPARE(stage.card.summary(), QString("loss, 2 runs, last 0.31, falling"));
    QAccessibleInterface* chart = QAccessible::queryAccessibleInterface(&stage.card);
    QVERIFY(chart);
    QCOMPARE(chart->role(), QAccessible::Chart);
    QCOMPARE(chart->text(QAccessible::Name), QString("loss"));
    QCOMPARE(chart->text(QAccessible::Value), stage.card.summary());
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
    // Walked by keys, the value says where.
    stage.card.setFocus();
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QTest::keyClick(&stage.card, Qt::Key_Right);
    QCOMPARE(stage.card.cursor().value(), 1.0);
    QVERIFY(chart->text(QAccessible::Value).contains("step 1"));
    // A million points are told in part, and it says so.
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
    stage.card.setHeadline("run-001 evaluation");
    stage.card.setNote("best 0.9416");
    stage.show();
    QVERIFY2(stage.card.summary().startsWith(
                 "loss, 1 run, run-001 evaluation 0.9081, run-001 1, best 0.9416"),
             qPrintable(stage.card.summary()));
    // Before the first evaluation no training value takes its place.
    stage.card.setCurves({curveOf(*stage.series.front())});
    stage.settle();
    QCOMPARE(stage.card.summary(), QString("loss, 1 run, run-001 1, best 0.9416"));
}

void TstChartCard::noToolTipCoversThePlot()
{
    CardStage stage;
    fill(stage.addSeries(), 50, [](int) { return 1.0F; });
    stage.showCurves();
    stage.card.setTitle("Loss");
    stage.show();
    const auto accepts = [&](const QPoint& place) {
        QHelpEvent event(QEvent::ToolTip, place, stage.card.mapToGlobal(place));
        QApplication::sendEvent(&stage.card, &event);
        return event.isAccepted();
    };
    QVERIFY(!stage.card.toolTip().isEmpty());
    QVERIFY(accepts({40, 12}));
    QVERIFY(!accepts(stage.card.plotRectangle().center().toPoint()));
}

void TstChartCard::D34_curvesContrastInBothThemes()
{
    CardStage stage;
    fill(stage.addSeries(), 200, wave);
    stage.showCurves();
    stage.show();
    for (const bool dark : {false, true}) {
        ThemeChoice choice;
        choice.dark = dark;
        const int before = stage.card.paintCount();
        applyTheme(*qApp, choice);
        stage.settle(100);
        QVERIFY(stage.card.paintCount() > before);
        for (int slot = 0; slot < 16; ++slot) {
            QVERIFY2(contrast(seriesColour(slot), tokens().surface) >= 3.0,
                     qPrintable(QString("slot %1, dark %2").arg(slot).arg(dark)));
        }
        const QImage image = stage.plot();
        QCOMPARE(QColor(image.pixel(image.width() - 2, 2)), tokens().surface);
        QVERIFY(pixelsOfSlot(image, 0, image.rect()) > 100);
    }
}

void TstChartCard::hairlineNeverRepaintsCurves()
{
    CardStage stage;
    fill(stage.addSeries(), 5000, wave);
    stage.showCurves();
    stage.show();
    const int before = stage.card.paintCount();
    for (int i = 1; i < 50; ++i) {
        QTest::mouseMove(stage.canvas(), stage.inCanvas(i / 50.0, 0.5));
        stage.settle(20);
    }
    QVERIFY(stage.card.cursor().has_value());
    QCOMPARE(stage.card.paintCount(), before);
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
    // Of what is visible: neither the 100 of the first half nor the spikes.
    QVERIFY(stage.card.visibleY().max < 4);
    stage.card.perform(ChartCommand::Outliers);
    stage.settle();
    QVERIFY(stage.card.visibleY().max >= 50 && stage.card.visibleY().max < 100);
}

void TstChartCard::emptyAndSinglePointsAreShown()
{
    CardStage stage;
    stage.show();
    QCOMPARE(stage.card.summary(), QString("loss, no values"));
    ScriptedSeries& series = stage.addSeries();
    stage.showCurves();
    stage.settle();
    QVERIFY(stage.card.readout().isEmpty());
    series.add(7, 0.5F);
    series.publish();
    stage.tellOf(series);
    stage.settle(200);
    const QImage image = stage.plot();
    QVERIFY(pixelsOfSlot(image, 0, image.rect()) > 8);
    QVERIFY(stage.card.visibleX().min < 7 && stage.card.visibleX().max > 7);
}

CANNERY_TEST(TstChartCard)
#include "tst_chart_card.moc"
