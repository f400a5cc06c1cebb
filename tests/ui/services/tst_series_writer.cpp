// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/services/runs/series_writer.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <random>

using namespace cannery::ui;

namespace {

/// Appends points to a growing block, as the loader does.
struct Growing
{
    SeriesWriter writer;
    SeriesUpdate published;

    void add(std::int64_t step, PointOrigin origin = {}, float value = 1)
    {
        if (writer.isFull()) {
            writer.moveTo(ColumnBlock::inMemory(writer.nextCapacity(1)));
        }
        writer.append(step, 100.0 + static_cast<double>(step), value, origin);
    }
    void addAll(std::initializer_list<std::int64_t> steps, PointOrigin origin = {})
    {
        for (const std::int64_t step : steps) {
            add(step, origin);
        }
    }
    void publish() { published.merge(writer.takeUpdate()); }
    std::vector<SeriesSegment> segments()
    {
        publish();
        return published.segments;
    }
};

using Segments = std::vector<SeriesSegment>;

} // namespace

class TstSeriesWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ascendingStepsAreOneSegment();
    void aStepThatGoesBackBeginsASegment();
    void theSameStepInAnotherFileIsOverwritten();
    void aSessionOfAnotherFileBeginsASegment();
    void segmentsBehindSegmentsAreOverwrittenToo();
    void piecesOfNewsGiveTheWhole();
    void oddValuesAreCounted();
    void timesWithoutANumberKeepTheLast();
    void manySegmentsStayCheap();
    void roomIsMadeForWhatIsExpected();
};

void TstSeriesWriter::ascendingStepsAreOneSegment()
{
    Growing series;
    series.addAll({1, 2, 2, 5});
    series.addAll({6, 7}, {.file = 1});
    QCOMPARE(series.segments(), Segments({{0, 6, 6}}));
    QCOMPARE(series.published.wallStart, 101.0);
    QCOMPARE(series.published.block->seconds()[5], 6.0F);
    QCOMPARE(series.published.block->steps()[3], std::int64_t{5});
}

void TstSeriesWriter::aStepThatGoesBackBeginsASegment()
{
    Growing series;
    series.addAll({10, 20, 30, 40, 25, 35, 45});
    QCOMPARE(series.segments(), Segments({{0, 4, 2}, {4, 7, 7}}));
}

void TstSeriesWriter::theSameStepInAnotherFileIsOverwritten()
{
    Growing series;
    series.addAll({10, 20});
    series.addAll({20, 30}, {.file = 1});
    QCOMPARE(series.segments(), Segments({{0, 2, 1}, {2, 4, 4}}));
}

void TstSeriesWriter::aSessionOfAnotherFileBeginsASegment()
{
    Growing series;
    series.addAll({10, 20});
    // The record of the session that this file itself began.
    series.addAll({30}, {.file = 0, .session = 1, .sessionFile = 0});
    QCOMPARE(series.segments(), Segments({{0, 3, 3}}));
    series.addAll({40, 50}, {.file = 1, .session = 2, .sessionFile = 1});
    QCOMPARE(series.segments(), Segments({{0, 3, 3}, {3, 5, 5}}));
}

void TstSeriesWriter::segmentsBehindSegmentsAreOverwrittenToo()
{
    Growing series;
    series.addAll({10, 20, 30, 25, 35, 5, 6});
    QCOMPARE(series.segments(), Segments({{0, 3, 0}, {3, 5, 3}, {5, 7, 7}}));
    series.addAll({6, 5});
    QCOMPARE(series.segments(), Segments({{0, 3, 0}, {3, 5, 3}, {5, 8, 5}, {8, 9, 9}}));
}

void TstSeriesWriter::piecesOfNewsGiveTheWhole()
{
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
        Growing pieces;
        Growing whole;
        std::int64_t step = 0;
        for (int i = 0; i < 300; ++i) {
            step += static_cast<std::int64_t>(random() % 12) - 3;
            pieces.add(step);
            whole.add(step);
            if (random() % 4 == 0) {
                SeriesUpdate update = pieces.writer.takeUpdate();
                pieces.published.merge(std::move(update));
            }
        }
        QCOMPARE(pieces.segments(), whole.segments());
        QCOMPARE(pieces.published.count, whole.published.count);
        for (const SeriesSegment& segment : whole.published.segments) {
            const std::int64_t* steps = whole.published.block->steps();
            for (qsizetype i = segment.begin; i < segment.end; ++i) {
                QVERIFY(i == segment.begin || steps[i] >= steps[i - 1]);
                const bool isOverwritten =
                    std::any_of(steps + segment.end, steps + whole.published.count,
                                [&](std::int64_t later) { return later <= steps[i]; });
                QCOMPARE(i >= segment.overwrittenFrom, isOverwritten);
            }
        }
    }
}

void TstSeriesWriter::oddValuesAreCounted()
{
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    Growing series;
    int step = 0;
    for (const float value : {1.0F, kInfinity, -kInfinity, std::nanf(""), kInfinity}) {
        series.add(step++, {}, value);
    }
    series.publish();
    QCOMPARE(series.published.nanCount, qint64{1});
    QCOMPARE(series.published.positiveInfinityCount, qint64{2});
    QCOMPARE(series.published.negativeInfinityCount, qint64{1});
}

void TstSeriesWriter::timesWithoutANumberKeepTheLast()
{
    SeriesWriter writer;
    writer.moveTo(ColumnBlock::inMemory(3));
    writer.append(1, std::nan(""), 1, {});
    writer.append(2, 5, 1, {});
    writer.append(3, std::nan(""), 1, {});
    const SeriesUpdate update = writer.takeUpdate();
    QCOMPARE(update.block->seconds()[0], 0.0F);
    QCOMPARE(update.block->seconds()[2], 5.0F);
}

/// A program that restarts its step count in each of many epochs.
void TstSeriesWriter::manySegmentsStayCheap()
{
    Growing series;
    for (int i = 0; i < 400'000; ++i) {
        series.add(i % 4);
    }
    const Segments segments = series.segments();
    QCOMPARE(segments.size(), std::size_t{100'000});
    QCOMPARE(segments[99'998], (SeriesSegment{399'992, 399'996, 399'992}));
}

void TstSeriesWriter::roomIsMadeForWhatIsExpected()
{
    Growing series;
    QCOMPARE(series.writer.nextCapacity(1000), 4);
    for (int step = 0; step < 400; ++step) {
        series.add(step);
    }
    QCOMPARE(series.writer.nextCapacity(1000), 800); // too few to tell
    for (int step = 400; step < 1600; ++step) {
        series.add(step);
    }
    QCOMPARE(series.writer.nextCapacity(1), 3200); // at its end a file still grows
    QCOMPARE(series.writer.nextCapacity(10), 17000);
    QCOMPARE(series.writer.nextCapacity(1e9), 64 * 1600);
    QCOMPARE(series.writer.nextCapacity(0), 3200);
}

CANNERY_TEST(TstSeriesWriter)
#include "tst_series_writer.moc"
