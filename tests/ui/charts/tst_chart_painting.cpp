// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"
#include "ui/widgets/style/painting.h"

#include <limits>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

} // namespace

class TstChartPainting : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void D18_twoVerticesAColumnAndSeries();
    void D19_noDroppedSpike();
    void D20_denseCurvesAreOnePixelWide();
    void D22_rawValuesStayBehindASmoothedCurve();
    void D24_nanAndInfinityAreMarked();
    void D25_resumedRunsNeverGoLeft();
    void D34_curvesContrastInBothThemes();
};

void TstChartPainting::D18_twoVerticesAColumnAndSeries()
{
    CardStage stage({900, 420}, ChartCard::Size::Large);
    for (int i = 0; i < 3; ++i) {
        fill(stage.addSeries(QString("run-%1").arg(i)), 1'000'000,
             [](int at) { return float(qint64(at) * 7919 % 1000); });
    }
    stage.showCurves();
    stage.show();
    const auto most = int(2 * plotRectangle(stage.card).width() * 3);
    QVERIFY(stage.card.canvas().vertexCount() > 0);
    QVERIFY(stage.card.canvas().vertexCount() <= most);
    for (const AxisLimits limits : {AxisLimits{0, 500'000}, AxisLimits{499'000, 500'500},
                                    AxisLimits{100, 700}, AxisLimits{10, 20}}) {
        ChartOptions options = stage.card.options();
        options.xLimits = limits;
        stage.card.setOptions(options);
        stage.settle();
        QVERIFY(stage.card.canvas().vertexCount() > 0);
        QVERIFY(stage.card.canvas().vertexCount() <= most);
    }
}

void TstChartPainting::D19_noDroppedSpike()
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

void TstChartPainting::D20_denseCurvesAreOnePixelWide()
{
    CardStage stage;
    fill(stage.addSeries(), 200'000, [](int i) { return i == 100'000 ? 1.0F : 0.0F; });
    stage.showCurves();
    stage.show();
    const QImage image = stage.plot();
    const int row = image.height() / 2;
    QCOMPARE(pixelsOfSlot(image, 0, QRect(0, row, image.width(), 1)), 1);
    QVERIFY(stage.card.canvas().vertexCount() <= 2 * image.width());
}

void TstChartPainting::D22_rawValuesStayBehindASmoothedCurve()
{
    CardStage stage;
    fill(stage.addSeries(), 300, [](int i) { return i == 150 ? 1.0F : 0.0F; });
    stage.showCurves();
    stage.show();
    const int plain = stage.card.canvas().vertexCount();
    ChartOptions options;
    options.smoothing = {.kind = SmoothingKind::Exponential, .weight = 0.9};
    stage.card.setOptions(options);
    stage.settle();
    QVERIFY(stage.card.canvas().vertexCount() > plain);
    // The spike is still there, faint; the headline shows the logged value.
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
    stage.card.cursor().setX(150);
    QCOMPARE(stage.card.cursor().rows().front().value, 1.0F);
    QVERIFY(stage.card.cursor().rows().front().smoothed.value() < 0.2);
}

void TstChartPainting::D24_nanAndInfinityAreMarked()
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
    QCOMPARE(stage.card.canvas().plot().content.nonFiniteCount(), 12);
    QVERIFY(stage.card.header().summary().contains("10 NaN"));
    QVERIFY(stage.card.header().summary().contains("2 ∞"));
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

void TstChartPainting::D25_resumedRunsNeverGoLeft()
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
    // Nothing joins 0.8 at step 60 and 0.2 at step 40.
    const QRect between(column(38), image.height() / 3, column(24), image.height() / 3);
    QCOMPARE(pixelsOfSlot(image, 0, between), 0);
    // The overwritten part is dotted: fewer pixels than a line of the same length.
    const QRect level(0, image.height() / 5 - 3, column(18), 7);
    const int solid = pixelsOfSlot(image, 0, level.translated(column(10), 0));
    const int before = stage.card.canvas().vertexCount();
    QVERIFY(solid > column(15));
    QVERIFY(pixelsOfSlot(image, 0, level.translated(column(41), 0)) < solid / 2);
    stage.card.perform(ChartCommand::ShowOverwritten);
    stage.settle();
    QVERIFY(stage.card.canvas().vertexCount() < before);
}

void TstChartPainting::D34_curvesContrastInBothThemes()
{
    CardStage stage;
    fill(stage.addSeries(), 200, wave);
    stage.showCurves();
    stage.show();
    for (const bool dark : {false, true}) {
        ThemeChoice choice;
        choice.dark = dark;
        const int before = stage.card.canvas().paintCount();
        applyTheme(*qApp, choice);
        stage.settle(100);
        QVERIFY(stage.card.canvas().paintCount() > before);
        for (int slot = 0; slot < 16; ++slot) {
            QVERIFY2(contrast(seriesColour(slot), tokens().surface) >= 3.0,
                     qPrintable(QString("slot %1, dark %2").arg(slot).arg(dark)));
        }
        const QImage image = stage.plot();
        QCOMPARE(QColor(image.pixel(image.width() - 2, 2)), tokens().surface);
        QVERIFY(pixelsOfSlot(image, 0, image.rect()) > 100);
    }
}

CANNERY_TEST(TstChartPainting)
#include "tst_chart_painting.moc"
