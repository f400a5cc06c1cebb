// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "tests/ui/models/run_rows.h"
#include "ui/models/metric_names.h"
#include "ui/models/natural_order.h"
#include "ui/models/runs/run_columns.h"
#include "ui/models/runs/run_filter_proxy.h"
#include "ui/models/runs/run_table_model.h"
#include "ui/models/runs/run_verdict.h"
#include "ui/models/runs/sweep_summary.h"

#include <QTest>

#include <algorithm>

using namespace cannery::ui;

/// What metrics are called, and how runs are put in order.
class TstMetricNames : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aMetricHasOneName();
    void errorsAndDistancesAreBetterIfLower();
    void numbersInNamesCount();
    void aFirstClickShowsTheBest();
    void runsAreSortedByTheNumbersInTheirNames();
    void aRegressionIsShownInTheUnitOfItsLabel();
    void twoRatesAreTwoColumns();
    void theBestOfASweepIsTheBestByItsMetric();
    void aRunIsComparedWithGuessing();
};

void TstMetricNames::aMetricHasOneName()
{
    QCOMPARE(metricName("auc"), QString("AUC"));
    QCOMPARE(metricWord("auc"), QString("AUC"));
    QCOMPARE(metricName("average_loss"), QString("Average loss"));
    QCOMPARE(metricWord("average_loss"), QString("average loss"));
    QCOMPARE(metricName("cannery/rmse"), QString("RMSE"));
    QCOMPARE(metricName("eval_test/cannery/rmse"), QString("RMSE, test"));
    QCOMPARE(metricName("train/loss"), QString("train/loss"));
    QCOMPARE(metricName(""), QString());
}

void TstMetricNames::errorsAndDistancesAreBetterIfLower()
{
    for (const char* lower :
         {"loss", "average_loss", "score", "eval/score", "brier_score", "eval/brier_score",
          "log_loss", "calibration_error", "mean_absolute_error", "cannery/rmse"}) {
        QVERIFY2(!higherIsBetter(lower), lower);
    }
    for (const char* higher : {"accuracy", "auc", "eval/f1_score", "r2_score", "cannery/r2"}) {
        QVERIFY2(higherIsBetter(higher), higher);
    }
}

void TstMetricNames::numbersInNamesCount()
{
    QStringList names{"run-10", "run-2", "run-1", "a", "run-02b", "run", "run-2 b"};
    std::sort(names.begin(), names.end(),
              [](const QString& a, const QString& b) { return naturalCompare(a, b) < 0; });
    QVERIFY(names.indexOf("run-1") < names.indexOf("run-2"));
    QVERIFY(names.indexOf("run-2") < names.indexOf("run-10"));
    QVERIFY(names.indexOf("run-02b") < names.indexOf("run-10"));
    QCOMPARE(names.first(), QString("a"));
    QCOMPARE(naturalCompare("run-7", "run-7"), 0);
    QVERIFY(naturalCompare("x", "") > 0);
}

void TstMetricNames::aFirstClickShowsTheBest()
{
    RunTableModel model;
    using Kind = RunColumn::Kind;
    model.setColumns({{.kind = Kind::Name},
                      {.kind = Kind::Metric, .key = "auc"},
                      {.kind = Kind::Metric, .key = "loss"},
                      {.kind = Kind::Metric, .key = "cannery/rmse"},
                      {.kind = Kind::Metric, .key = "cannery/r2"},
                      {.kind = Kind::Started}});
    const QList<Qt::SortOrder> wanted{Qt::AscendingOrder, Qt::DescendingOrder, Qt::AscendingOrder,
                                      Qt::AscendingOrder, Qt::DescendingOrder, Qt::DescendingOrder};
    for (int i = 0; i < wanted.size(); ++i) {
        const QVariant order = model.headerData(i, Qt::Horizontal, Qt::InitialSortOrderRole);
        QVERIFY(order.canConvert<int>());
        QCOMPARE(static_cast<Qt::SortOrder>(order.toInt()), wanted.at(i));
    }
}

void TstMetricNames::runsAreSortedByTheNumbersInTheirNames()
{
    RunTableModel model;
    RunFilterProxy proxy(model);
    model.setColumns({{.kind = RunColumn::Kind::Name}});
    auto snapshot = std::make_shared<ProjectSnapshot>();
    for (const char* name : {"run-1", "run-10", "run-2"}) {
        snapshot->runs.append({.name = name});
    }
    model.setSnapshot(snapshot);
    proxy.sort(0, Qt::AscendingOrder);
    QCOMPARE((QStringList{proxy.runAt(0), proxy.runAt(1), proxy.runAt(2)}),
             (QStringList{"run-1", "run-2", "run-10"}));
}

void TstMetricNames::aRegressionIsShownInTheUnitOfItsLabel()
{
    ProjectSnapshot snapshot;
    RunRow run{.name = "a"};
    run.decisionMetric = "average_loss";
    run.metrics = {{.name = "average_loss", .last = 797.1e6}};
    QCOMPARE(run.shownMetric(), QString("average_loss"));
    run.metrics.append({.name = "cannery/rmse", .last = 28233});
    QCOMPARE(run.shownMetric(), QString("cannery/rmse"));
    snapshot.runs = {run};
    QStringList keys;
    for (const RunColumn& column : defaultColumns(snapshot)) {
        keys << column.key;
    }
    QVERIFY(keys.contains("cannery/rmse"));
    QVERIFY(!keys.contains("average_loss"));
}

void TstMetricNames::twoRatesAreTwoColumns()
{
    const QString both = "estimator.dnn_linear_combined_classifier.%1_optimizer.ftrl.learning_rate";
    ProjectSnapshot snapshot;
    for (const char* rate : {"0.1", "0.2"}) {
        RunRow run{.name = QString("run-") + rate};
        run.parameters = {{both.arg("linear"), rate}, {both.arg("dnn"), "0.05"}};
        snapshot.runs.append(run);
    }
    QStringList differing;
    for (const ColumnOffer& offer : availableColumns(snapshot)) {
        if (offer.differs) {
            differing << offer.column.key;
        }
    }
    QCOMPARE(differing, QStringList{both.arg("linear")});
    QCOMPARE(headerText({.kind = RunColumn::Kind::Parameter, .key = both.arg("linear")}),
             QString("linear lr"));
}

void TstMetricNames::theBestOfASweepIsTheBestByItsMetric()
{
    ProjectSnapshot snapshot;
    QVERIFY(!newestSweep(snapshot));
    const QString rate = "estimator.dnn_classifier.optimizer.adagrad.learning_rate";
    int number = 0;
    for (const double auc : {0.81, 0.88, 0.79}) {
        RunRow run{.name = QString("sweep-002-00%1").arg(++number), .state = RunState::Finished};
        run.decisionMetric = "auc";
        run.metrics = {{.name = "auc", .last = auc, .atBest = auc}};
        run.parameters = {{rate, QString::number(0.1 * number)}, {"train_spec.max_steps", "100"}};
        snapshot.runs.prepend(run);
    }
    snapshot.runs.first().state = RunState::Running;
    snapshot.runs.append({.name = "sweep-001-001"});
    snapshot.runs.prepend({.name = "run-007"});
    const std::optional<SweepSummary> sweep = newestSweep(snapshot);
    QVERIFY(sweep.has_value());
    QCOMPARE(sweep->name, QString("sweep-002"));
    QCOMPARE(sweep->runs, 3);
    QCOMPARE(sweep->ended, 2);
    QCOMPARE(sweep->best, QString("sweep-002-002"));
    QCOMPARE(sweep->settings, QString("learning_rate 0.2"));
}

void TstMetricNames::aRunIsComparedWithGuessing()
{
    RunRow run{.name = "a"};
    QCOMPARE(verdictOf(run), QString());
    const auto metric = [](const char* name, double value) {
        return MetricSummary{.name = name, .last = value, .atBest = value};
    };
    run.evalRows = 50000;
    run.metrics = {metric("accuracy", 0.84), metric("accuracy_baseline", 0.62),
                   metric("auc", 0.88)};
    QVERIFY2(verdictOf(run).contains("84 of 100") && verdictOf(run).contains("62") &&
                 verdictOf(run).contains("88 of 100"),
             qPrintable(verdictOf(run)));
    QVERIFY(!verdictOf(run).contains("±"));
    run.evalRows = 20;
    QVERIFY2(verdictOf(run).contains("± 16"), qPrintable(verdictOf(run)));
    run.metrics = {metric("cannery/rmse", 25), metric("cannery/rmse_baseline", 100)};
    QVERIFY2(verdictOf(run).contains("75"), qPrintable(verdictOf(run)));
    run.metrics = {metric("cannery/rmse", 125), metric("cannery/rmse_baseline", 100)};
    QVERIFY2(verdictOf(run).contains("no better"), qPrintable(verdictOf(run)));
}

CANNERY_TEST(TstMetricNames)
#include "tst_metric_names.moc"
