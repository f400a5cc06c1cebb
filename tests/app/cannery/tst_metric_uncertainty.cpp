// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/evaluation_view.h"
#include "app/cannery/reports/metric_uncertainty.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::app;

class TstMetricUncertainty : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void intervalsAreThoseOfTheirFormulas();
    void fewRowsSayLittle();
    void otherMetricsHaveNone();
    void metricLinesShowThem();
};

namespace {

train::EvaluationResult evaluation(std::int64_t rows, std::vector<metrics::MetricValue> values)
{
    train::EvaluationResult result;
    result.rows = rows;
    result.metrics = std::move(values);
    return result;
}

double rounded(std::optional<double> value)
{
    return std::round(*value * 1e4) / 1e4;
}

} // namespace

void TstMetricUncertainty::intervalsAreThoseOfTheirFormulas()
{
    // 83 of 104 by Agresti and Coull.
    QCOMPARE(rounded(uncertaintyOf(evaluation(100, {{"accuracy", 0.81}}), "accuracy")), 0.0772);
    // Hanley and McNeil: 51 and 58 rows with an area of 0.893 have a standard error of 0.0325.
    const auto auc = evaluation(109, {{"auc", 0.893}, {"label/mean", 51.0 / 109}});
    QCOMPARE(std::round(*uncertaintyOf(auc, "auc") / 1.96 * 1000) / 1000, 0.033);
    QCOMPARE(rounded(uncertaintyOf(evaluation(400, {{"cannery/r2", 0.64}}), "cannery/r2")), 0.0564);
    QCOMPARE(rounded(uncertaintyOf(evaluation(200, {{"cannery/rmse", 10.0}}), "cannery/rmse")),
             0.98);
}

void TstMetricUncertainty::fewRowsSayLittle()
{
    // All of 13 rows right is not certain.
    QVERIFY(*uncertaintyOf(evaluation(13, {{"accuracy", 1.0}}), "accuracy") > 0.1);
    QVERIFY(!uncertaintyOf(evaluation(1, {{"accuracy", 1.0}}), "accuracy"));
    QVERIFY(!uncertaintyOf(evaluation(9, {{"auc", 1.0}, {"label/mean", 0.0}}), "auc"));
}

void TstMetricUncertainty::otherMetricsHaveNone()
{
    const auto result = evaluation(
        100, {{"loss", 0.3}, {"cannery/r2", -0.5}, {"precision", 0.7}, {"accuracy", std::nan("")}});
    for (const char* metric : {"loss", "cannery/r2", "precision", "accuracy", "none"}) {
        QVERIFY2(!uncertaintyOf(result, metric), metric);
    }
}

void TstMetricUncertainty::metricLinesShowThem()
{
    const auto lines = metricLines(evaluation(100, {{"accuracy", 0.81}, {"loss", 0.5}}));
    QCOMPARE(lines.size(), std::size_t(3));
    QVERIFY2(lines[1].starts_with("accuracy") && lines[1].ends_with("± 0.077"), lines[1].c_str());
    QVERIFY2(lines[2].find("±") == std::string::npos, lines[2].c_str());
}

CANNERY_TEST(TstMetricUncertainty)
#include "tst_metric_uncertainty.moc"
