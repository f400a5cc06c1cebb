#include "core/metrics/metric_catalog.h"
#include "core/metrics/metric_set.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/support/test_main.h"

#include <QMap>
#include <QTest>

#include <limits>
#include <set>

using namespace cannery;
using namespace cannery::tests;
using metrics::MetricKind;

class TstMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithKeras();
    void mergingPartsGivesTheWhole();
    void nothingGivesZero();
    void aScoreThatIsNotANumberIsNoPositive();
    void catalogHasEveryKindOnce();
};

namespace {

/// The Keras metrics of the table that are members of the family.
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

void TstMetrics::agreesWithKeras()
{
    int compared = 0;
    for (const QJsonValue value : goldenTable("metrics")["scores"].toArray()) {
        const Scores scores = scoresOf(value.toObject());
        for (const QJsonValue resultValue : value.toObject()["results"].toArray()) {
            const QJsonObject result = resultValue.toObject();
            QJsonObject arguments = result["arguments"].toObject();
            const QString name = result["metric"].toString();
            if (result["api"].toString() != "keras" || !kMembers.contains(name) ||
                arguments.contains("summation_method") || arguments.contains("num_thresholds")) {
                continue;
            }
            MetricKind kind = kMembers[name];
            if (arguments["curve"].toString() == "PR") {
                kind = MetricKind::AucPrecisionRecall;
            }
            std::vector<float> thresholds{0.5F};
            for (const char* key : {"threshold", "thresholds"}) {
                if (arguments.contains(key)) {
                    thresholds = numbersOf(arguments[key]);
                }
            }
            const std::vector<float> expected = numbersOf(result["value"]);
            QCOMPARE(thresholds.size(), expected.size());
            for (std::size_t i = 0; i < thresholds.size(); ++i) {
                const auto metric = metrics::makeMetric(kind, thresholds[i]);
                metric->update(scores.batch());
                VERIFY_NEAR(metric->result(), expected[i], 1e-5, 1e-5);
                ++compared;
            }
        }
    }
    QVERIFY2(compared >= 60, qPrintable(QString::number(compared)));
}

void TstMetrics::mergingPartsGivesTheWhole()
{
    const Scores scores{.scores = {0.9F, 0.6F, 0.55F, 0.3F, 0.2F, 1.0F},
                        .labels = {1, 0, 1, 0, 1, 0},
                        .weights = {1, 2, 0.5F, 4, 1, 0.25F}};
    for (const metrics::MetricRow& row : metrics::metricCatalog()) {
        metrics::MetricSet whole;
        metrics::MetricSet parts[2];
        whole.add("x", row.make(0.5F), 3);
        parts[0].add("x", row.make(0.5F), 3);
        parts[1].add("x", row.make(0.5F), 3);
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
