// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/card_stage.h"

#include <QCategoryAxis>
#include <QChart>
#include <QGraphicsView>
#include <QLegend>
#include <QLegendMarker>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>

using namespace cannery::ui;
using namespace cannery::tests;

namespace {

/// The QChart of a card.
QChart* chartOf(ChartCard& card)
{
    const auto* view = card.findChild<QGraphicsView*>();
    for (QGraphicsItem* item : view->scene()->items()) {
        if (auto* chart = dynamic_cast<QChart*>(item)) {
            return chart;
        }
    }
    return nullptr;
}

QCategoryAxis* axisOf(ChartCard& card, Qt::Orientation orientation)
{
    return qobject_cast<QCategoryAxis*>(chartOf(card)->axes(orientation).value(0));
}

/// The position of the axis's tick with this name, 0 to 1; -1: none.
double placeOf(QCategoryAxis& axis, const QString& name)
{
    for (const QString& category : axis.categoriesLabels()) {
        if (category.trimmed() == name) {
            return (axis.endValue(category) - axis.min()) / (axis.max() - axis.min());
        }
    }
    return -1;
}

/// The grid lines that a column near the right end of the plot crosses.
int linesAcross(CardStage& stage)
{
    const QImage image = stage.plot();
    int lines = 0;
    for (int y = 0; y < image.height(); ++y) {
        lines += image.pixel(image.width() - 3, y) == tokens().line.rgb() ? 1 : 0;
    }
    return lines;
}

} // namespace

class TstChartFrame : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { applyTheme(*qApp, {}); }
    void cleanup() { applyTheme(*qApp, {}); }

    void theAxesAreTheCharts();
    void aLogAxisHasPowersOfTen();
    void ticksOfOneNameStandApart();
    void theGridHasALineATick();
    void ticksThatStayAreNotLaidOutAgain();
    void anEmptyChartHasNoAxes();
    void theLegendIsPlainText();
    void figuresCarryTitlesAndLegend();
};

void TstChartFrame::theAxesAreTheCharts()
{
    CardStage stage;
    fill(stage.addSeries(), 1000, [](int i) { return float(i) / 1000; });
    stage.showCurves();
    ChartOptions options;
    options.xLimits = AxisLimits{0, 1000};
    options.yLimits = AxisLimits{0, 1};
    stage.card.setOptions(options);
    stage.show();
    const QChart* chart = chartOf(stage.card);
    QVERIFY(chart && chart->isVisible());
    const QPointF corner = stage.canvas()->mapTo(&stage.card, QPoint());
    QCOMPARE(chart->plotArea().translated(corner), plotRectangle(stage.card));
    QCategoryAxis* y = axisOf(stage.card, Qt::Vertical);
    QVERIFY(y && y->isVisible() && y->labelsVisible() && y->isGridLineVisible());
    QVERIFY(y->labelsColor() == tokens().text2 && y->gridLinePen().color() == tokens().line);
    QVERIFY(std::fabs(placeOf(*y, "0.6") - 0.6) < 0.01);
    QCategoryAxis* x = axisOf(stage.card, Qt::Horizontal);
    QVERIFY(x && x->isVisible() && x->labelsVisible() && !x->isGridLineVisible());
    QVERIFY(std::fabs(placeOf(*x, "400") - 0.4) < 0.01);
}

void TstChartFrame::aLogAxisHasPowersOfTen()
{
    CardStage stage;
    fill(stage.addSeries(), 1000, [](int i) { return 0.001F * float(1 + i); });
    stage.showCurves();
    ChartOptions options;
    options.logY = true;
    options.yLimits = AxisLimits{0.001, 1};
    stage.card.setOptions(options);
    stage.show();
    QCategoryAxis* y = axisOf(stage.card, Qt::Vertical);
    QCOMPARE(y->count(), 4);
    QVERIFY(std::fabs(placeOf(*y, QString::fromUtf8("10⁻²")) - 1 / 3.0) < 0.01);
}

void TstChartFrame::ticksOfOneNameStandApart()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 1000, [](int i) { return float(i); });
    stage.showCurves();
    ChartOptions options;
    options.xAxis = XAxis::WallClock;
    options.xLimits = AxisLimits{series.wallStart(), series.wallStart() + 3 * 86400};
    stage.card.setOptions(options);
    stage.show();
    // Midnight is named after the day, noon is "noon" on every day.
    QCategoryAxis* x = axisOf(stage.card, Qt::Horizontal);
    int noons = 0;
    for (const QString& name : x->categoriesLabels()) {
        noons += name.startsWith("12:00") ? 1 : 0;
    }
    QCOMPARE(noons, 3);
}

void TstChartFrame::theGridHasALineATick()
{
    CardStage stage;
    fill(stage.addSeries(), 1000, [](int) { return 0.55F; });
    stage.showCurves();
    ChartOptions options;
    // No tick at either end, and no line.
    options.yLimits = AxisLimits{0.15, 0.85};
    stage.card.setOptions(options);
    stage.show();
    QCategoryAxis* y = axisOf(stage.card, Qt::Vertical);
    QVERIFY(y->count() >= 3);
    QCOMPARE(linesAcross(stage), y->count());
}

void TstChartFrame::ticksThatStayAreNotLaidOutAgain()
{
    CardStage stage;
    ScriptedSeries& series = stage.addSeries();
    fill(series, 1000, wave);
    stage.showCurves();
    ChartOptions options;
    options.xLimits = AxisLimits{0, 2000};
    stage.card.setOptions(options);
    stage.show();
    QSignalSpy x(axisOf(stage.card, Qt::Horizontal), &QCategoryAxis::rangeChanged);
    QSignalSpy y(axisOf(stage.card, Qt::Vertical), &QCategoryAxis::rangeChanged);
    const int before = stage.card.canvas().paintCount();
    for (int i = 0; i < 10; ++i) {
        series.add(1000 + i, 0.5F);
        series.publish();
        stage.tellOf(series);
        stage.settle(2000);
    }
    QVERIFY(stage.card.canvas().paintCount() >= before + 10);
    QCOMPARE(x.size(), 0);
    QCOMPARE(y.size(), 0);
    options.xLimits = AxisLimits{100, 2000};
    stage.card.setOptions(options);
    stage.settle(100);
    QCOMPARE(x.size(), 1);
    QCOMPARE(y.size(), 0);
}

void TstChartFrame::anEmptyChartHasNoAxes()
{
    CardStage stage;
    stage.show();
    QVERIFY(!axisOf(stage.card, Qt::Vertical)->isVisible());
    QVERIFY(!axisOf(stage.card, Qt::Horizontal)->isVisible());
    fill(stage.addSeries(), 10, wave);
    stage.showCurves();
    stage.settle(1000);
    QVERIFY(axisOf(stage.card, Qt::Vertical)->isVisible());
}

void TstChartFrame::theLegendIsPlainText()
{
    CardStage stage;
    fill(stage.addSeries("a<b>&c"), 10, wave);
    fill(stage.addSeries("a<b>&c", "eval"), 10, wave);
    stage.showCurves();
    stage.show();
    const QLegend* legend = chartOf(stage.card)->legend();
    QVERIFY(legend->isVisible());
    QCOMPARE(legend->markers().size(), 2);
    QVERIFY(legend->markers().front()->label().startsWith("a&lt;b&gt;&amp;c"));
    // With several runs the run table is the legend.
    stage.card.setCurves({curveOf(*stage.series.front())});
    stage.settle(1000);
    QVERIFY(!legend->isVisible());
}

void TstChartFrame::figuresCarryTitlesAndLegend()
{
    CardStage stage;
    fill(stage.addSeries("run-001"), 1000, wave);
    fill(stage.addSeries("run-002"), 1000, wave);
    stage.showCurves();
    stage.card.header().setTitle("Loss of <both>");
    stage.show();
    const AxisLimits seen = stage.card.canvas().plot().axes.x().limits();
    const QRectF plot = plotRectangle(stage.card);
    const QTemporaryDir folder;
    QString error;
    QVERIFY2(stage.card.output().write(folder.filePath("loss.svg"), &error), qPrintable(error));
    QFile file(folder.filePath("loss.svg"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    // Digits have a font of their own, and so an element of their own.
    QString words;
    QXmlStreamReader reader(&file);
    while (!reader.atEnd()) {
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"text") {
            words += reader.readElementText();
        }
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    for (const char* text : {"Loss of <both>", "run-001", "run-002", "Step", "loss", "0.5"}) {
        QVERIFY2(words.contains(QLatin1String(text)), qPrintable(words));
    }
    // The card is unchanged.
    QCOMPARE(stage.card.canvas().plot().axes.x().limits(), seen);
    QCOMPARE(plotRectangle(stage.card), plot);
}

CANNERY_TEST(TstChartFrame)
#include "tst_chart_frame.moc"
