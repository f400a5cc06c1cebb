// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/charts/scripted_series.h"
#include "ui/models/curves/smoothing.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace cannery::ui;
using cannery::tests::ScriptedSeries;

namespace {

constexpr qsizetype kAll = 100'000'000;

std::vector<float> smoothed(const ScriptedSeries& series, const Smoothing& smoothing)
{
    Smoother smoother;
    smoother.setSmoothing(smoothing);
    qsizetype budget = kAll;
    smoother.update(series, budget);
    return {smoother.values().begin(), smoother.values().end()};
}

std::vector<float> smoothed(const std::vector<float>& values, const Smoothing& smoothing)
{
    ScriptedSeries series({"run", "", "loss"});
    for (size_t i = 0; i < values.size(); ++i) {
        series.add(std::int64_t(i), values[i]);
    }
    series.publish();
    return smoothed(series, smoothing);
}

std::vector<float> noise(size_t count)
{
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    std::ranges::generate(values, [&] { return normal(random); });
    return values;
}

} // namespace

class TstSmoothing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void D22_rules_data();
    void D22_rules();
    void D22_isOffByDefault() { QVERIFY(ChartOptions().smoothing.isOff()); }
    void exponentialIsTensorBoardsDebiasedAverage();
    void meanAndMedianAreOfTheLastValues();
    void spikesLeaveNothingBehindInAMean();
    void workInPiecesGivesTheSame();
    void aResumedRunGoesOnFromWhereItTookOver();
};

void TstSmoothing::D22_rules_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("exponential") << int(SmoothingKind::Exponential);
    QTest::newRow("mean") << int(SmoothingKind::WindowMean);
    QTest::newRow("median") << int(SmoothingKind::WindowMedian);
}

void TstSmoothing::D22_rules()
{
    QFETCH(int, kind);
    for (const double weight : {0.0, 0.6, 0.99, 0.999}) {
        const Smoothing smoothing{
            .kind = SmoothingKind(kind), .weight = weight, .window = 1 + int(weight * 100)};
        // A constant stays constant, to the bit.
        const std::vector<float> constant(5000, 0.1F);
        QCOMPARE(smoothed(constant, smoothing), constant);
        // Later values never change earlier results: the start of a long series alone.
        const std::vector<float> all = noise(100'000);
        const std::vector<float> beginning(all.begin(), all.begin() + 10'000);
        const std::vector<float> whole = smoothed(all, smoothing);
        QCOMPARE(smoothed(beginning, smoothing),
                 std::vector<float>(whole.begin(), whole.begin() + 10'000));
        // It starts at the first value, also for two points.
        QCOMPARE(whole.front(), all.front());
        QCOMPARE(smoothed({1.0F, 3.0F}, smoothing).front(), 1.0F);
        // Non-finite values are skipped and remain gaps.
        const float gap = std::numeric_limits<float>::quiet_NaN();
        const std::vector<float> gaps = smoothed({2.0F, gap, 2.0F, INFINITY, 2.0F}, smoothing);
        QCOMPARE(gaps[0], 2.0F);
        QVERIFY(std::isnan(gaps[1]) && std::isnan(gaps[3]));
        QCOMPARE(gaps[2], 2.0F);
        QCOMPARE(gaps[4], 2.0F);
    }
}

void TstSmoothing::exponentialIsTensorBoardsDebiasedAverage()
{
    const double weight = 0.9;
    const std::vector<float> values = noise(500);
    const std::vector<float> ours =
        smoothed(values, {.kind = SmoothingKind::Exponential, .weight = weight});
    double last = 0;
    for (size_t i = 0; i < values.size(); ++i) {
        last = last * weight + (1 - weight) * double(values[i]);
        const double expected = last / (1 - std::pow(weight, double(i + 1)));
        QVERIFY(std::fabs(double(ours[i]) - expected) < 1e-6);
    }
}

void TstSmoothing::meanAndMedianAreOfTheLastValues()
{
    const std::vector<float> values = noise(300);
    for (const int window : {1, 2, 3, 7, 50, 1000}) {
        const auto mean = smoothed(values, {.kind = SmoothingKind::WindowMean, .window = window});
        const auto median =
            smoothed(values, {.kind = SmoothingKind::WindowMedian, .window = window});
        for (size_t i = 0; i < values.size(); ++i) {
            const size_t begin = i + 1 < size_t(window) ? 0 : i + 1 - size_t(window);
            std::vector<float> last(values.begin() + std::ptrdiff_t(begin),
                                    values.begin() + std::ptrdiff_t(i + 1));
            double sum = 0;
            for (const float value : last) {
                sum += double(value);
            }
            QVERIFY(std::fabs(double(mean[i]) - sum / double(last.size())) < 1e-6);
            std::ranges::sort(last);
            const size_t middle = last.size() / 2;
            const double expected = last.size() % 2 == 1
                                        ? double(last[middle])
                                        : (double(last[middle - 1]) + double(last[middle])) / 2;
            QVERIFY(std::fabs(double(median[i]) - expected) < 1e-6);
        }
    }
}

void TstSmoothing::spikesLeaveNothingBehindInAMean()
{
    std::vector<float> values(200, 0.1F);
    values[50] = 1e30F;
    const auto mean = smoothed(values, {.kind = SmoothingKind::WindowMean, .window = 9});
    for (size_t i = 59; i < mean.size(); ++i) {
        QCOMPARE(mean[i], 0.1F);
    }
}

void TstSmoothing::workInPiecesGivesTheSame()
{
    const std::vector<float> values = noise(5000);
    for (const auto kind :
         {SmoothingKind::Exponential, SmoothingKind::WindowMean, SmoothingKind::WindowMedian}) {
        const Smoothing smoothing{.kind = kind, .weight = 0.97, .window = 31};
        ScriptedSeries series({"run", "", "loss"});
        Smoother smoother;
        smoother.setSmoothing(smoothing);
        for (size_t i = 0; i < values.size(); ++i) {
            series.add(std::int64_t(i), values[i]);
            if (i % 37 == 0) {
                series.publish();
                qsizetype budget = 20;
                smoother.update(series, budget);
            }
        }
        series.publish();
        bool isComplete = false;
        while (!isComplete) {
            qsizetype budget = 100;
            isComplete = smoother.update(series, budget);
            QVERIFY(budget >= 0);
        }
        const std::vector<float> inPieces(smoother.values().begin(), smoother.values().end());
        QCOMPARE(inPieces, smoothed(series, smoothing));
    }
}

void TstSmoothing::aResumedRunGoesOnFromWhereItTookOver()
{
    const std::vector<float> values = noise(400);
    ScriptedSeries undisturbed({"a", "", "loss"});
    ScriptedSeries resumed({"b", "", "loss"});
    for (int i = 0; i < 400; ++i) {
        undisturbed.add(i, values[size_t(i)]);
    }
    for (int i = 0; i < 300; ++i) {
        resumed.add(i, values[size_t(i)]);
    }
    for (int i = 200; i < 400; ++i) {
        resumed.add(i, values[size_t(i)]);
    }
    undisturbed.publish();
    resumed.publish();
    QCOMPARE(resumed.segments().size(), size_t(2));
    for (const auto kind :
         {SmoothingKind::Exponential, SmoothingKind::WindowMean, SmoothingKind::WindowMedian}) {
        const Smoothing smoothing{.kind = kind, .weight = 0.95, .window = 25};
        const auto expected = smoothed(undisturbed, smoothing);
        const auto found = smoothed(resumed, smoothing);
        for (size_t i = 200; i < 400; ++i) {
            QVERIFY(std::fabs(found[i + 100] - expected[i]) < 1e-5F);
        }
    }
}

CANNERY_TEST(TstSmoothing)
#include "tst_smoothing.moc"
