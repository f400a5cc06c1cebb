// SPDX-License-Identifier: Apache-2.0
#include "core/metrics/metric_catalog.h"
#include "core/metrics/metric_set.h"
#include "core/spec/metric_kinds.h"
#include "tests/golden/tables/golden_table.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <algorithm>
#include <limits>
#include <map>

using namespace cannery;
using namespace cannery::tests;
using metrics::MetricSubject;
using spec::LabelKind;

class TstChosenMetrics : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void agreesWithKeras_data();
    void agreesWithKeras();
    void mergingPartsGivesTheWhole_data();
    void mergingPartsGivesTheWhole();
    void nothingGivesZero();
    void probabilitiesThatAreNoNumbersAreWrong();
    void aPercentageOfNothingIsTakenOfALittle();
    void classesStandUnderTheirNames();
    void aMatrixIsNoNumber();
    void theLastOfAnEqualNameCounts();
};

namespace {

spec::Metric metricOf(const QString& text)
{
    spec::Metric metric;
    if (!google::protobuf::TextFormat::ParseFromString(text.toStdString(), &metric)) {
        qFatal("not a metric: %s", qPrintable(text));
    }
    return metric;
}

MetricSubject subjectOf(LabelKind labels, std::int64_t width)
{
    MetricSubject subject{.labels = labels, .width = width};
    const std::int64_t classes = labels == LabelKind::Number        ? 0
                                 : labels == LabelKind::Probability ? 2
                                                                    : width;
    for (std::int64_t i = 0; i < classes; ++i) {
        subject.classes.push_back("c" + std::to_string(i));
    }
    return subject;
}

struct Rows
{
    MetricSubject subject;
    std::vector<float> predictions;
    std::vector<float> labels;
    std::vector<float> weights;

    std::size_t count() const
    {
        return predictions.size() / static_cast<std::size_t>(subject.width);
    }
    metrics::MetricBatch part(std::size_t first, std::size_t rows) const
    {
        const auto of = [&](const std::vector<float>& all) {
            const std::size_t width = all.size() / count();
            return std::span(all).subspan(first * width, rows * width);
        };
        return {of(predictions), of(labels), of(weights)};
    }
    metrics::MetricBatch all() const { return part(0, count()); }
};

const std::map<QString, LabelKind> kKinds{{"number", LabelKind::Number},
                                          {"probability", LabelKind::Probability},
                                          {"class_id", LabelKind::ClassId},
                                          {"multi_hot", LabelKind::MultiHot}};

Rows rowsOf(const QJsonObject& set)
{
    Rows rows{.subject =
                  subjectOf(kKinds.at(set["labels_are"].toString()), set["width"].toInteger()),
              .predictions = numbersOf(set["predictions"]),
              .labels = numbersOf(set["labels"]),
              .weights = {}};
    if (!set["weights"].isNull()) {
        // One per label, as heads give them.
        const std::vector<float> ofRows = numbersOf(set["weights"]);
        const std::size_t width = rows.labels.size() / ofRows.size();
        for (const float weight : ofRows) {
            rows.weights.insert(rows.weights.end(), width, weight);
        }
    }
    return rows;
}

/// Every metric of every set, by the row's name.
void addResultsOfTable()
{
    QTest::addColumn<QJsonObject>("set");
    QTest::addColumn<QJsonObject>("result");
    int number = 0;
    for (const QJsonValue value : goldenTable("further_metrics")["sets"].toArray()) {
        const QJsonObject set = value.toObject();
        for (const QJsonValue result : set["results"].toArray()) {
            QTest::addRow("set %d, %s, %s", number, qPrintable(set["labels_are"].toString()),
                          qPrintable(result["metric"].toString()))
                << set << result.toObject();
        }
        ++number;
    }
}

} // namespace

void TstChosenMetrics::agreesWithKeras_data()
{
    addResultsOfTable();
}

void TstChosenMetrics::agreesWithKeras()
{
    QFETCH(const QJsonObject, set);
    QFETCH(const QJsonObject, result);
    const Rows rows = rowsOf(set);
    const spec::Metric message = metricOf(result["metric"].toString());
    QVERIFY(!spec::metricMisfit(message, rows.subject.labels, rows.subject.width));
    const auto metric = metrics::makeChosenMetric(message, rows.subject);
    metric->update(rows.part(0, rows.count() / 4));
    metric->update(rows.part(rows.count() / 4, rows.count() - rows.count() / 4));
    const std::vector<float> expected = numbersOf(result["value"]);
    if (expected.size() == 1) {
        VERIFY_NEAR(metric->result(), expected[0], 2e-6, 2e-6);
        return;
    }
    const auto table = metric->table("x");
    QVERIFY(table.has_value());
    QCOMPARE(table->values.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        VERIFY_NEAR(table->values[i], expected[i], 2e-6, 2e-6);
    }
}

void TstChosenMetrics::mergingPartsGivesTheWhole_data()
{
    addResultsOfTable();
}

void TstChosenMetrics::mergingPartsGivesTheWhole()
{
    QFETCH(const QJsonObject, set);
    QFETCH(const QJsonObject, result);
    const Rows rows = rowsOf(set);
    const spec::Metric message = metricOf(result["metric"].toString());
    const auto whole = metrics::makeChosenMetric(message, rows.subject);
    const auto left = metrics::makeChosenMetric(message, rows.subject);
    const auto right = metrics::makeChosenMetric(message, rows.subject);
    whole->update(rows.all());
    left->update(rows.part(0, 5));
    right->update(rows.part(5, rows.count() - 5));
    left->merge(*right);
    VERIFY_NEAR(left->result(), whole->result(), 1e-12, 0);
    left->reset();
    left->update(rows.all());
    QCOMPARE(left->result(), whole->result());
    QCOMPARE(left->table("x"), whole->table("x"));
}

void TstChosenMetrics::nothingGivesZero()
{
    for (const metrics::ChosenMetricRow& row : metrics::chosenMetricCatalog()) {
        spec::Metric message;
        const auto* field = spec::Metric::descriptor()->FindFieldByNumber(row.key);
        message.GetReflection()->MutableMessage(&message, field);
        for (const LabelKind labels : spec::findMetricKind(message)->fits) {
            const auto metric = row.make(message, subjectOf(labels, 3));
            metric->update({});
            QCOMPARE(metric->result(), 0.0);
        }
    }
}

/// tf.math.in_top_k says so; nothing is worse than a NaN.
void TstChosenMetrics::probabilitiesThatAreNoNumbersAreWrong()
{
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const Rows rows{.subject = subjectOf(LabelKind::ClassId, 3),
                    .predictions = {0.2F, nan, 0.8F, 0.1F, 0.2F, 0.7F},
                    .labels = {2, 2},
                    .weights = {}};
    const auto metric =
        metrics::makeChosenMetric(metricOf("top_k_categorical_accuracy { k: 3 }"), rows.subject);
    metric->update({rows.predictions, rows.labels, {}});
    QCOMPARE(metric->result(), 0.5);
}

void TstChosenMetrics::aPercentageOfNothingIsTakenOfALittle()
{
    const std::vector<float> predictions{1e-7F, 3};
    const std::vector<float> labels{0, 2};
    const auto metric = metrics::makeChosenMetric(metricOf("mean_absolute_percentage_error {}"),
                                                  subjectOf(LabelKind::Number, 1));
    metric->update({predictions, labels, {}});
    VERIFY_NEAR(metric->result(), (100 + 50) / 2.0, 1e-6, 0);
}

void TstChosenMetrics::classesStandUnderTheirNames()
{
    const std::vector<float> predictions{0.9F, 0.2F, 0.7F};
    const std::vector<float> labels{1, 0, 0};
    metrics::MetricSet set;
    set.add(
        "each",
        metrics::makeChosenMetric(metricOf("per_class {}"), subjectOf(LabelKind::Probability, 1)),
        0);
    set.update(0, {predictions, labels, {}});
    const std::vector<metrics::MetricValue> values = set.results();
    QCOMPARE(values.size(), 8U);
    QCOMPARE(values[0].name, std::string("each/c0/f1"));
    QCOMPARE(values[2], (metrics::MetricValue{"each/c0/recall", 0.5}));
    QCOMPARE(values[3], (metrics::MetricValue{"each/c0/rows", 2}));
    QCOMPARE(values[5], (metrics::MetricValue{"each/c1/precision", 0.5}));
    QCOMPARE(set.tables().size(), 1U);
    QCOMPARE(set.tables()[0].rows, (std::vector<std::string>{"c0", "c1"}));
    QCOMPARE(set.tables()[0].columns,
             (std::vector<std::string>{"precision", "recall", "f1", "rows"}));
}

void TstChosenMetrics::aMatrixIsNoNumber()
{
    metrics::MetricSet set;
    set.add("m",
            metrics::makeChosenMetric(metricOf("confusion_matrix {}"),
                                      subjectOf(LabelKind::ClassId, 3)),
            0);
    QVERIFY(set.results().empty());
    QCOMPARE(set.tables()[0].name, std::string("m"));
    QCOMPARE(set.tables()[0].rows, set.tables()[0].columns);
}

/// As in TensorFlow, where added metrics update the dictionary of the head's.
void TstChosenMetrics::theLastOfAnEqualNameCounts()
{
    const std::vector<float> predictions{0.9F, 0.2F};
    const std::vector<float> labels{0, 1};
    metrics::MetricSet set;
    set.add("x", metrics::makeMetric(metrics::MetricKind::Mean), 0);
    set.add("x",
            metrics::makeChosenMetric(metricOf("mean_absolute_error {}"),
                                      subjectOf(LabelKind::Number, 1)),
            1);
    QVERIFY(!set.reads(0));
    QVERIFY(set.reads(1));
    set.update(1, {predictions, labels, {}});
    QCOMPARE(set.results().size(), 1U);
    VERIFY_NEAR(set.results()[0].value, 0.85, 1e-6, 0);
}

CANNERY_TEST(TstChosenMetrics)
#include "tst_chosen_metrics.moc"
