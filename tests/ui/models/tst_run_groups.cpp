// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/curves/series.h"
#include "ui/models/runs/run_groups.h"

#include <QTest>

#include <cmath>

using namespace cannery::ui;
using cannery::tests::runOf;

namespace {

class FakeSeries : public Series
{
public:
    FakeSeries(std::vector<std::int64_t> steps, std::vector<float> values,
               std::vector<SeriesSegment> segments)
        : Series({}), m_steps(std::move(steps)), m_values(std::move(values)),
          m_seconds(m_values.size())
    {
        m_segments = std::move(segments);
    }
    qsizetype size() const override { return static_cast<qsizetype>(m_values.size()); }
    std::span<const std::int64_t> steps() const override { return m_steps; }
    std::span<const float> seconds() const override { return m_seconds; }
    std::span<const float> values() const override { return m_values; }
    double wallStart() const override { return 0; }

private:
    std::vector<std::int64_t> m_steps;
    std::vector<float> m_values;
    std::vector<float> m_seconds;
};

} // namespace

class TstRunGroups : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void groupsByValueWithRunsWithoutItLast()
    {
        QList<RunRow> runs{runOf("e", 1, "0.1"), runOf("d", 1, "0.05"), runOf("c", 1, "0.1"),
                           runOf("b", 1, "0.05"), runOf("a", 1, "0.05")};
        runs[2].parameters.clear();
        runs[4].colourSlot = 5;
        QList<const RunRow*> pointers;
        for (const RunRow& run : runs) {
            pointers.append(&run);
        }
        const QList<RunGroup> groups =
            groupRuns(pointers, "estimator.dnn_classifier.optimizer.adagrad.learning_rate");
        QCOMPARE(groups.size(), 3);
        QCOMPARE(groups[0].runs, (QStringList{"d", "b", "a"}));
        QCOMPARE(groups[0].colourSlot, 5);
        QVERIFY(groups[0].label.startsWith("learning_rate 0.05"));
        QCOMPARE(groups[1].runs, QStringList{"e"});
        QCOMPARE(groups[2].runs, QStringList{"c"});
    }

    void stepsAreAlignedByValueAndPartialCoverageIsCounted()
    {
        const GroupBand band =
            groupBand({{{0, 100, 200}, {1, 2, 3}}, {{0, 200}, {3, 7}}, {{100}, {9}}},
                      GroupCentre::Mean, GroupSpread::MinMax);
        QCOMPARE(band.steps, (std::vector<double>{0, 100, 200}));
        QCOMPARE(band.counts, (std::vector<int>{2, 3, 2}));
        QCOMPARE(band.centre, (std::vector<float>{2, 16.0F / 3, 5})); // 2, 5 between 3 and 7, 9
        QCOMPARE(band.low, (std::vector<float>{1, 2, 3}));
        QCOMPARE(band.high, (std::vector<float>{3, 9, 7}));
    }

    void centresAndSpreads()
    {
        const std::vector<StepPoints> series{{{1}, {1}}, {{1}, {2}}, {{1}, {3}}, {{1}, {10}}};
        const GroupBand quartiles = groupBand(series, GroupCentre::Median, GroupSpread::Quartiles);
        QCOMPARE(quartiles.centre.front(), 2.5F);
        QCOMPARE(quartiles.low.front(), 1.75F);
        QCOMPARE(quartiles.high.front(), 4.75F);
        const GroupBand deviation =
            groupBand(series, GroupCentre::Mean, GroupSpread::StandardDeviation);
        QCOMPARE(deviation.centre.front(), 4.0F);
        QCOMPARE(deviation.high.front() - 4.0F, float(std::sqrt(50.0 / 3)));
        QVERIFY(groupBand({}, GroupCentre::Mean, GroupSpread::MinMax).steps.empty());
    }

    void ofStepsLoggedAgainTheLaterValueCounts()
    {
        const FakeSeries series({1, 2, 3, 2, 3, 4}, {1, 2, 3, 20, NAN, 40}, {{0, 3, 1}, {3, 6, 6}});
        const StepPoints points = stepPoints(series);
        QCOMPARE(points.steps, (std::vector<std::int64_t>{1, 2, 4}));
        QCOMPARE(points.values, (std::vector<float>{1, 20, 40}));
    }

    void meanIsSaidWithItsDeviation()
    {
        QCOMPARE(meanAndDeviation({}), QString());
        QCOMPARE(meanAndDeviation({0.9}), QString("0.9000"));
        QCOMPARE(meanAndDeviation({0.9, 0.8}), QString::fromUtf8("0.8500 ± 0.071"));
    }
};

CANNERY_TEST(TstRunGroups)
#include "tst_run_groups.moc"
