// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_catalog.h"
#include "core/metrics/metric_set.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/support/test_main.h"

#include <QMap>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace cannery;
using namespace cannery::tests;
using metrics::MetricKind;

class TstMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithKeras_data();
    void agreesWithKeras();
    void areaBelowPrecisionIsInterpolatedForAnyWeight();
    void mergingPartsGivesTheWhole();
    void nothingGivesZero();
    void aScoreThatIsNotANumberIsNoPositive();
    void errorsStandBesideThoseOfTheMean();
    void labelsFarFromZeroKeepTheirSpread();
    void theCommonestClassIsCounted();
    void classesThatOnlyOnePartHasAreMerged();
    void labelsThatAreAllAlikeExplainNothing();
    void catalogHasEveryKindOnce();
};

namespace {

/// The Keras metrics of the table that are members of the family.
/// Metrics and arguments of TensorFlow that heads do not have; TstChosenMetrics has those that an
/// eval_spec may add.
const QStringList kOutsideMetrics{"FalsePositives",
                                  "Hinge",
                                  "LogCoshError",
                                  "MeanAbsoluteError",
                                  "MeanAbsolutePercentageError",
                                  "MeanSquaredError",
                                  "PrecisionAtRecall",
                                  "RecallAtPrecision",
                                  "RootMeanSquaredError",
                                  "SensitivityAtSpecificity",
                                  "SpecificityAtSensitivity",
                                  "TrueNegatives"};
const QStringList kOutsideArguments{"num_thresholds", "summation_method"};

const QMap<QString, MetricKind> kMembers{{"AUC", MetricKind::Auc},
                                         {"Precision", MetricKind::Precision},
                                         {"Recall", MetricKind::Recall},
                                         {"BinaryAccuracy", MetricKind::ThresholdedAccuracy}};

struct Scores
{
    std::vector<float> scores;
    std::vector<float> labels;
    std::vector<float> weights;

    metrics::MetricBatch batch() const { return {scores, labels, weights}; }
    metrics::MetricBatch part(std::size_t first, std::size_t count) const
    {
        const auto of = [&](const std::vector<float>& all) {
            return all.empty() ? std::span<const float>() : std::span(all).subspan(first, count);
        };
        return {of(scores), of(labels), of(weights)};
    }
};

bool isOutside(const QJsonObject& result)
{
    const QStringList arguments = result["arguments"].toObject().keys();
    return result["api"].toString() != "keras" ||
           kOutsideMetrics.contains(result["metric"].toString()) ||
           std::any_of(arguments.begin(), arguments.end(), [](const QString& argument) {
               return kOutsideArguments.contains(argument);
           });
}

Scores scoresOf(const QJsonObject& row)
{
    Scores scores{
        .scores = numbersOf(row["scores"]), .labels = numbersOf(row["labels"]), .weights = {}};
    if (!row["weights"].isNull()) {
        scores.weights = numbersOf(row["weights"]);
    }
    return scores;
}

} // namespace

void TstMetrics::agreesWithKeras_data()
{
    QTest::addColumn<QJsonObject>("scores");
    QTest::addColumn<QJsonObject>("result");
    int number = 0;
    for (const QJsonValue value : goldenTable("metrics")["scores"].toArray()) {
        const QJsonArray results = value.toObject()["results"].toArray();
        for (const QJsonValue result : results) {
            if (isOutside(result.toObject())) {
                continue;
            }
            const QJsonObject arguments = result["arguments"].toObject();
            QTest::addRow("scores %d, %s %s", number, qPrintable(result["metric"].toString()),
                          QJsonDocument(arguments).toJson(QJsonDocument::Compact).constData())
                << value.toObject() << result.toObject();
        }
        ++number;
    }
}

void TstMetrics::agreesWithKeras()
{
    QFETCH(const QJsonObject, scores);
    QFETCH(const QJsonObject, result);
    const QString name = result["metric"].toString();
    const QJsonObject arguments = result["arguments"].toObject();
    QVERIFY2(kMembers.contains(name), "neither a metric of ours nor named as outside");
    const bool isOfPrecision = arguments["curve"].toString() == "PR";
    const MetricKind kind = isOfPrecision ? MetricKind::AucPrecisionRecall : kMembers[name];
    std::vector<float> thresholds{0.5F};
    for (const QString& key : arguments.keys()) {
        QVERIFY2(key == "curve" || key.startsWith("threshold"), qPrintable(key));
        thresholds = key == "curve" ? thresholds : numbersOf(arguments[key]);
    }
    const std::vector<float> expected = numbersOf(result["value"]);
    QCOMPARE(expected.size(), thresholds.size());
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
        const auto metric = metrics::makeMetric(kind, thresholds[i]);
        metric->update(scoresOf(scores).batch());
        VERIFY_NEAR(metric->result(), expected[i], 1e-5, 1e-5);
    }
}

/// Davis and Goadrich's interpolation, by hand: from (0 true, 1 false) to (2 true, 2 false)
/// positives the slope is 2/3 and the intercept -2/3. A total weight below 1 makes no difference.
void TstMetrics::areaBelowPrecisionIsInterpolatedForAnyWeight()
{
    for (const float weight : {0.125F, 1.0F, 40.0F}) {
        const Scores scores{.scores = {0.9F, 0.5F, 0.5F, 0.5F},
                            .labels = {0, 1, 1, 0},
                            .weights = std::vector<float>(4, weight)};
        const auto metric = metrics::makeMetric(MetricKind::AucPrecisionRecall, 0.5F);
        metric->update(scores.batch());
        VERIFY_NEAR(metric->result(), 2.0 / 3 * (2 - 2.0 / 3 * std::log(4.0)) / 2, 1e-6, 1e-6);
    }
}

void TstMetrics::mergingPartsGivesTheWhole()
{
    const Scores scores{.scores = {0.9F, 0.6F, 0.55F, 0.3F, 0.2F, 1.0F},
                        .labels = {1, 0, 1, 0, 1, 0},
                        .weights = {1, 2, 0.5F, 4, 1, 0.25F}};
    for (const metrics::MetricRow& row : metrics::metricCatalog()) {
        for (const float threshold : {0.0F, 0.25F, 0.5F, 0.6F, 0.95F}) {
            metrics::MetricSet whole;
            metrics::MetricSet parts[2];
            whole.add("x", row.make(threshold), 3);
            parts[0].add("x", row.make(threshold), 3);
            parts[1].add("x", row.make(threshold), 3);
            whole.update(3, scores.batch());
            parts[0].update(3, scores.part(0, 4));
            parts[1].update(3, scores.part(4, 2));
            parts[1].update(2, scores.part(0, 4));
            parts[0].merge(parts[1]);
            VERIFY_NEAR(parts[0].results()[0].value, whole.results()[0].value, 1e-12, 0);
            parts[0].reset();
            parts[0].update(3, scores.batch());
            QCOMPARE(parts[0].results(), whole.results());
        }
    }
}

void TstMetrics::nothingGivesZero()
{
    for (const metrics::MetricRow& row : metrics::metricCatalog()) {
        const auto metric = row.make(0.5F);
        metric->update({});
        QCOMPARE(metric->result(), 0.0);
    }
}

void TstMetrics::aScoreThatIsNotANumberIsNoPositive()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Scores scores{.scores = {nan, 0.9F, nan}, .labels = {1, 1, 0}, .weights = {}};
    const auto valueOf = [&](MetricKind kind) {
        const auto metric = metrics::makeMetric(kind);
        metric->update(scores.batch());
        return metric->result();
    };
    QCOMPARE(valueOf(MetricKind::Recall), 0.5);
    QCOMPARE(valueOf(MetricKind::Precision), 1.0);
    VERIFY_NEAR(valueOf(MetricKind::Auc), 0.75, 1e-12, 0);
}

void TstMetrics::errorsStandBesideThoseOfTheMean()
{
    // Errors 1, -2, 0 with weights 2, 1, 1; the labels' mean is 4.
    const Scores scores{.scores = {3, 4, 6}, .labels = {2, 6, 6}, .weights = {2, 1, 1}};
    const auto valueOf = [&](MetricKind kind) {
        const auto metric = metrics::makeMetric(kind);
        metric->update(scores.batch());
        return metric->result();
    };
    VERIFY_NEAR(valueOf(MetricKind::RootMeanSquaredError), std::sqrt(6.0 / 4), 1e-12, 0);
    VERIFY_NEAR(valueOf(MetricKind::MeanAbsoluteError), 1.0, 1e-12, 0);
    VERIFY_NEAR(valueOf(MetricKind::RootMeanSquaredErrorBaseline), 2.0, 1e-12, 0);
    VERIFY_NEAR(valueOf(MetricKind::RSquared), 1 - 6.0 / 16, 1e-12, 0);
}

void TstMetrics::labelsFarFromZeroKeepTheirSpread()
{
    const Scores scores{
        .scores = {5e6F, 5e6F, 5e6F}, .labels = {5e6F - 1, 5e6F, 5e6F + 1}, .weights = {}};
    const auto baseline = metrics::makeMetric(MetricKind::RootMeanSquaredErrorBaseline);
    const auto squared = metrics::makeMetric(MetricKind::RSquared);
    baseline->update(scores.batch());
    squared->update(scores.batch());
    VERIFY_NEAR(baseline->result(), std::sqrt(2.0 / 3), 1e-9, 0);
    VERIFY_NEAR(squared->result(), 0.0, 1e-9, 1e-9);
}

void TstMetrics::theCommonestClassIsCounted()
{
    const Scores scores{
        .scores = {0, 0, 0, 0, 0}, .labels = {2, 0, 2, 1, 1}, .weights = {1, 1, 1, 1, 3}};
    const auto share = metrics::makeMetric(MetricKind::MajorityShare);
    share->update(scores.batch());
    VERIFY_NEAR(share->result(), 4.0 / 7, 1e-12, 0);
}

void TstMetrics::classesThatOnlyOnePartHasAreMerged()
{
    const Scores scores{.scores = {0, 0, 0}, .labels = {0, 2, 2}, .weights = {4, 1, 2}};
    const auto first = metrics::makeMetric(MetricKind::MajorityShare);
    const auto second = metrics::makeMetric(MetricKind::MajorityShare);
    first->update(scores.part(0, 1));
    second->update(scores.part(1, 2));
    first->merge(*second);
    VERIFY_NEAR(first->result(), 4.0 / 7, 1e-12, 0);
}

void TstMetrics::labelsThatAreAllAlikeExplainNothing()
{
    for (const float guess : {5.0F, 7.0F}) {
        const auto squared = metrics::makeMetric(MetricKind::RSquared);
        const Scores scores{.scores = {guess, guess}, .labels = {5, 5}, .weights = {}};
        squared->update(scores.batch());
        QCOMPARE(squared->result(), 0.0);
    }
}

void TstMetrics::catalogHasEveryKindOnce()
{
    std::set<MetricKind> kinds;
    std::set<std::string_view> names;
    for (const metrics::MetricRow& row : metrics::metricCatalog()) {
        kinds.insert(row.key);
        names.insert(row.name);
    }
    QCOMPARE(kinds.size(), metrics::metricCatalog().size());
    QCOMPARE(names.size(), metrics::metricCatalog().size());
    QCOMPARE(int(*kinds.rbegin()) + 1, int(kinds.size()));
}

CANNERY_TEST(TstMetrics)
#include "tst_metrics.moc"
