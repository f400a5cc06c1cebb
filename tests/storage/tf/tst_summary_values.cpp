// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/events/summary_values.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::storage;

namespace {

const std::string kSummaryGoldens = CANNERY_SOURCE_DIR "/tests/golden/event/";
const std::string kV1 = "v1/events.out.tfevents.1700000003.host";
const std::string kV2 = "v2/events.out.tfevents.1700000004.host.v2";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The first value of a tag at or after a step; an empty one if there is none.
EventValue goldenValue(const std::string& file, const std::string& tag, std::int64_t step = 0)
{
    auto reader = EventReader::open(kSummaryGoldens + file);
    for (auto event = reader->next(); event && *event; event = reader->next()) {
        for (const EventValue& value : (*event)->values) {
            if (value.tag == tag && (*event)->step >= step) {
                return value;
            }
        }
    }
    return {};
}

HistogramBins goldenBins(const std::string& file, const std::string& tag)
{
    const EventValue value = goldenValue(file, tag);
    return binsOf(std::get<EventHistogram>(value.value));
}

template <typename Values>
double worstDifference(const Values& actual, const std::vector<double>& expected)
{
    double worst = actual.size() == expected.size() ? 0 : kInfinity;
    for (std::size_t i = 0; i < std::min(actual.size(), expected.size()); ++i) {
        worst = std::max(worst, std::abs(actual[i] - expected[i]));
    }
    return worst;
}

} // namespace

class TstSummaryValues : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void histogramsOfBothKindsHaveTensorBoardsBins();
    void histogramsOfOneValueAndOfNone();
    void boundsAreTensorBoardsCompressedOnes();
    void hostileHistogramsGiveFiniteAscendingBins();
    void textsAreMarkdown();
    void imagesAreTheirBytes();
    void prCurvesHaveARowForEachCount();
    void hyperparametersOfASessionAreNamed();
    void pluginsOfAnotherReaderAreKept();
};

void TstSummaryValues::histogramsOfBothKindsHaveTensorBoardsBins()
{
    const HistogramBins old = goldenBins(kV1, "train/weights");
    QCOMPARE(old.count, 50.0);
    QCOMPARE(old.counts.size(), std::size_t{51});
    QCOMPARE(old.edges.size(), std::size_t{52});
    QCOMPARE(old.edges.front(), -2.5559253692626953);
    QCOMPARE(old.edges.back(), 1.8140779733657837);
    QVERIFY(std::is_sorted(old.edges.begin(), old.edges.end()));
    QVERIFY(old.counts.front() > 0 && old.counts.back() > 0);

    const HistogramBins tensor = goldenBins(kV2, "weights");
    QCOMPARE(tensor.counts.size(), std::size_t{12});
    QCOMPARE(tensor.min, -2.8018318731046445);
    QCOMPARE(tensor.max, 3.133957010502488);
    QCOMPARE(tensor.edges[1], -2.307182799470717);
    QCOMPARE(tensor.counts.front(), 2.0);
}

void TstSummaryValues::histogramsOfOneValueAndOfNone()
{
    const HistogramBins constant = goldenBins(kV2, "constant");
    QCOMPARE(constant.counts.size(), std::size_t{1});
    QCOMPARE(constant.edges.front(), constant.edges.back());
    QCOMPARE(boundsOf(constant).front(), constant.min);
    QCOMPARE(boundsOf(constant)[4], constant.min);

    const HistogramBins empty = goldenBins(kV2, "empty");
    QCOMPARE(empty, HistogramBins());
    QCOMPARE(worstDifference(boundsOf(empty), std::vector<double>(9, 0)), 0.0);
}

/// The expected numbers are those of compress_histogram() in TensorBoard 2.15 for the same buckets.
void TstSummaryValues::boundsAreTensorBoardsCompressedOnes()
{
    const std::vector<double> old{-2.5559253692626953, -1.732205153607799,   -1.2248227223793309,
                                  -0.8578338388406086, -0.35363819004775493, 0.21109766244317907,
                                  0.8782634175055855,  1.288408917369536,    1.8140779733657837};
    QVERIFY(worstDifference(boundsOf(goldenBins(kV1, "train/weights")), old) < 1e-12);
    const std::vector<double> tensor{-2.8018318731046445, -1.623153794788371,   -1.184054597280793,
                                     -0.7528432103979515, -0.09581047028374573, 0.47985557478544477,
                                     1.0081074917388313,  1.4843023499333396,   3.133957010502488};
    QVERIFY(worstDifference(boundsOf(goldenBins(kV2, "weights")), tensor) < 1e-12);
    // Nothing lies in the gap, so no bound does.
    const HistogramBins gap = binsOf({.min = 0, .max = 4, .buckets = {{1, 5}, {3, 0}, {4, 5}}});
    QCOMPARE(boundsOf(gap)[3], 0.617);
    QCOMPARE(boundsOf(gap)[4], 3.0);
}

void TstSummaryValues::hostileHistogramsGiveFiniteAscendingBins()
{
    const EventHistogram hostile{
        .min = -1,
        .max = 5,
        .buckets = {{kNan, 2}, {3, kNan}, {-kInfinity, 1}, {1, -7}, {kInfinity, 3}, {0, 4}}};
    const HistogramBins bins = binsOf(hostile);
    QCOMPARE(bins.count, 10.0);
    QVERIFY(std::is_sorted(bins.edges.begin(), bins.edges.end()));
    QCOMPARE(bins.edges.size(), bins.counts.size() + 1);
    for (const double bound : boundsOf(bins)) {
        QVERIFY(bound >= -1 && bound <= 5);
    }
    for (const auto& [min, max] : {std::pair{kNan, 1.0}, {0.0, kInfinity}, {2.0, 1.0}}) {
        QCOMPARE(binsOf({.min = min, .max = max, .buckets = {{1, 1}}}), HistogramBins());
    }
    constexpr double kMost = std::numeric_limits<double>::max();
    QCOMPARE(binsOf({.min = 0, .max = 1, .buckets = {{0.5, kMost}, {1, kMost}}}), HistogramBins());
    const std::vector<Histogram::Bucket> many(1'000'000, {1, 1});
    QCOMPARE(binsOf({.min = 0, .max = 1, .buckets = many}), HistogramBins());
    // The whole range of doubles: its width is infinite.
    for (const double bound :
         boundsOf(binsOf({.min = -kMost, .max = kMost, .buckets = {{0, 1}}}))) {
        QVERIFY(std::isfinite(bound));
    }
}

void TstSummaryValues::textsAreMarkdown()
{
    QCOMPARE(*markdownOf(goldenValue(kV1, "note")), std::string("*Hello*, **events**"));
    // Only its first value names the plugin.
    QCOMPARE(*markdownOf(goldenValue(kV1, "note", 20)), std::string("*Hello*, **events**"));
    QCOMPARE(*markdownOf(goldenValue(kV2, "table")),
             std::string("|   |   |\n|---|---|\n| a | b | \n| c | d | \n"));
    EventValue text{.tag = "t", .plugin = "text", .value = HostTensor::ofStrings({"a", "b"})};
    QCOMPARE(*markdownOf(text), std::string("a\n\nb"));
    text.value = HostTensor::ofStrings({"a|b\nc"}, Shape{1, 1});
    QCOMPARE(*markdownOf(text), std::string("|   |\n|---|\n| a\\|b c | \n"));
    text.value = HostTensor::ofStrings({}, Shape{3, 0});
    QCOMPARE(*markdownOf(text), std::string());
    text.plugin = "other";
    QVERIFY(!markdownOf(text));
}

void TstSummaryValues::imagesAreTheirBytes()
{
    for (const EventValue& value :
         {goldenValue(kV1, "picture/image/0"), goldenValue(kV2, "picture")}) {
        const std::vector<std::string> images = imagesOf(value);
        QVERIFY(!images.empty());
        for (const std::string& image : images) {
            QCOMPARE(image.substr(1, 3), std::string("PNG"));
        }
        QVERIFY(!isAudio(value));
    }
    QVERIFY(isAudio(goldenValue(kV1, "tone/audio/0")));
    QVERIFY(isAudio(goldenValue(kV2, "tone")));
    QVERIFY(imagesOf(goldenValue(kV2, "tone")).empty());
    EventValue bare{.tag = "t", .plugin = "images", .value = HostTensor::ofStrings({"1", "2"})};
    QVERIFY(imagesOf(bare).empty());
}

void TstSummaryValues::prCurvesHaveARowForEachCount()
{
    const auto curve = prCurveOf(goldenValue(kV1, "curve/pr_curves", 10));
    QVERIFY(curve);
    QCOMPARE(curve->precision.size(), std::size_t{11});
    for (std::size_t i = 0; i < curve->recall.size(); ++i) {
        const double found = curve->truePositives[i] + curve->falseNegatives[i];
        QVERIFY(std::abs(curve->recall[i] - curve->truePositives[i] / found) < 1e-6);
    }
    EventValue value{.tag = "t", .plugin = "pr_curves"};
    value.value = HostTensor::of<float>({1, 2, 3, 4, NAN, 9}, Shape{6, 1});
    QCOMPARE(prCurveOf(value)->precision.front(), 0.0);
    QCOMPARE(prCurveOf(value)->recall.front(), 1.0);
    value.value = HostTensor::of<float>({1, 2, 3, 4, 5}, Shape{5, 1});
    QVERIFY(!prCurveOf(value));
}

void TstSummaryValues::hyperparametersOfASessionAreNamed()
{
    const std::string file = "hparams/trial_0/events.out.tfevents.1700000000.host.v2";
    const auto parameters = hyperparametersOf(goldenValue(file, "_hparams_/session_start_info"));
    const std::vector<std::pair<std::string, std::string>> expected{
        {"optimizer", "Adam"}, {"rate", "0.1"}, {"units", "8"}};
    QVERIFY(parameters);
    QCOMPARE(*parameters, expected);
    QVERIFY(!hyperparametersOf(goldenValue(file, "_hparams_/experiment")));
    EventValue damaged = goldenValue(file, "_hparams_/session_start_info");
    damaged.content.resize(damaged.content.size() / 2);
    QVERIFY(!hyperparametersOf(damaged));
}

void TstSummaryValues::pluginsOfAnotherReaderAreKept()
{
    auto reader = EventReader::open(kSummaryGoldens + kV1);
    std::uint64_t position = 0;
    for (auto event = reader->next(); (*event)->step < 10; event = reader->next()) {
        position = reader->position();
    }
    auto later = EventReader::open(kSummaryGoldens + kV1, position, reader->plugins());
    bool found = false;
    for (auto event = later->next(); event && *event; event = later->next()) {
        for (const EventValue& value : (*event)->values) {
            found = found || markdownOf(value).has_value();
        }
    }
    QVERIFY(found);
}

CANNERY_TEST(TstSummaryValues)
#include "tst_summary_values.moc"
