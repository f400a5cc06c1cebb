// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/scripted_series.h"
#include "ui/models/curves/curve_reducer.h"

#include <QTest>

#include <random>

using namespace cannery::ui;
using cannery::tests::ScriptedSeries;

namespace {

ReducedCurve reduced(const CurveData& data, AxisLimits limits, int columns, bool logX = false)
{
    const XColumn x(data.series(), XAxis::Step);
    const SeriesSegment& segment = data.series().segments().front();
    return reduceCurve({.x = &x,
                        .y = data.raw(false),
                        .range = data.visible(segment, XAxis::Step, limits),
                        .scale = AxisScale(limits, logX),
                        .columns = columns});
}

} // namespace

class TstCurveReducer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D18_oneSpanAColumn();
    void D19_extremesSurviveOnEveryAxis();
    void fewPointsComeAsTheyAre();
    void nearestLoggedPointIsFound();
    void nothingIsNearestInNothing();
};

void TstCurveReducer::D18_oneSpanAColumn()
{
    ScriptedSeries series({"run", "", "loss"});
    for (int i = 0; i < 300'000; ++i) {
        series.add(i * 3, float(i % 1000));
    }
    series.publish();
    const CurveData data(series);
    for (const int columns : {1, 7, 400, 1600}) {
        for (const AxisLimits limits : {AxisLimits{0, 900'000}, AxisLimits{1000, 500'000},
                                        AxisLimits{-1e6, 2e6}, AxisLimits{400'000, 420'000}}) {
            const ReducedCurve curve = reduced(data, limits, columns);
            QVERIFY(curve.isDense);
            // One on either side of the picture.
            QVERIFY(curve.spans.size() <= size_t(columns) + 2);
            for (size_t i = 1; i < curve.spans.size(); ++i) {
                QVERIFY(curve.spans[i].column > curve.spans[i - 1].column);
            }
        }
    }
}

void TstCurveReducer::D19_extremesSurviveOnEveryAxis()
{
    std::mt19937 random(3);
    for (int trial = 0; trial < 40; ++trial) {
        // Uneven steps, and two opposite spikes 39 samples apart.
        ScriptedSeries series({"run", "", "loss"});
        const int count = 50'000;
        const int spike = int(random() % (count - 100)) + 20;
        std::int64_t step = 1;
        for (int i = 0; i < count; ++i) {
            step += 1 + random() % (i < count / 2 ? 3 : 90);
            series.add(step, i == spike        ? 9.0F
                             : i == spike + 39 ? -9.0F
                                               : float(random() % 100) / 100);
        }
        series.publish();
        const CurveData data(series);
        const AxisLimits all{1, double(step)};
        for (const bool logX : {false, true}) {
            const ReducedCurve curve = reduced(data, all, 800, logX);
            const AxisScale scale(all, logX);
            float high = 0;
            float low = 0;
            int highColumn = -1;
            for (const ColumnSpan& span : curve.spans) {
                if (span.high > high) {
                    highColumn = span.column;
                }
                high = std::max(high, span.high);
                low = std::min(low, span.low);
            }
            QCOMPARE(high, 9.0F);
            QCOMPARE(low, -9.0F);
            // At its position, within a sixteenth of a column and rounding.
            const double position = scale.toPosition(double(series.steps()[size_t(spike)])) * 800;
            QVERIFY(std::fabs(position - (highColumn + 0.5)) < 0.65);
        }
    }
}

void TstCurveReducer::fewPointsComeAsTheyAre()
{
    ScriptedSeries series({"run", "", "loss"});
    for (int i = 0; i < 50; ++i) {
        series.add(i * 10, i == 20 ? std::numeric_limits<float>::quiet_NaN() : float(i));
    }
    series.publish();
    const ReducedCurve curve = reduced(CurveData(series), {0, 490}, 400);
    QVERIFY(!curve.isDense);
    QCOMPARE(curve.points.size(), size_t(50));
    QVERIFY(std::isnan(curve.points[20].y()));
    QCOMPARE(curve.points[30].y(), 30.0);
    // Zoomed: the outside neighbours are kept, for the lines that leave the picture.
    const ReducedCurve part = reduced(CurveData(series), {95, 205}, 400);
    QCOMPARE(part.points.size(), size_t(13));
    QVERIFY(part.points.front().x() < 0 && part.points.back().x() > 400);
}

void TstCurveReducer::nearestLoggedPointIsFound()
{
    ScriptedSeries series({"run", "", "loss"});
    for (int i = 0; i < 1000; ++i) {
        series.add(i * 10, float(i));
    }
    for (int i = 500; i < 700; ++i) {
        series.add(i * 10, float(i) + 0.5F);
    }
    series.publish();
    const CurveData data(series);
    QCOMPARE(series.values()[size_t(*data.nearest(1234, XAxis::Step))], 123.0F);
    QCOMPARE(series.values()[size_t(*data.nearest(1236, XAxis::Step))], 124.0F);
    // Logged twice: the later one counts.
    QCOMPARE(series.values()[size_t(*data.nearest(5500, XAxis::Step))], 550.5F);
    // After the end of the later one: its last; the earlier one's was overwritten.
    QCOMPARE(series.values()[size_t(*data.nearest(9000, XAxis::Step))], 699.5F);
}

void TstCurveReducer::nothingIsNearestInNothing()
{
    ScriptedSeries series({"run", "", "loss"});
    const CurveData data(series);
    QVERIFY(!data.nearest(1, XAxis::Step));
    QVERIFY(!data.xRange(XAxis::Step, false));
    QVERIFY(!data.lastValue());
}

CANNERY_TEST(TstCurveReducer)
#include "tst_curve_reducer.moc"
