// SPDX-License-Identifier: GPL-3.0-only
#include "core/spec/message_access.h"
#include "core/spec/metric_kinds.h"
#include "tests/support/test_main.h"
#include "ui/models/runs/run_columns.h"
#include "ui/models/runs/run_snapshot.h"

#include <QTest>

using namespace cannery;
using namespace cannery::ui;

/// The window knows a metric by its name, the engine by its kind.
class TstMetricDirections : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesHaveTheDirectionOfTheirKind_data();
    void namesHaveTheDirectionOfTheirKind();
    void headsAndFoldersChangeNone();
    void baselinesHaveNone();
};

namespace {

std::optional<bool> directionInTable(const QString& metric)
{
    return columnDirection({.kind = RunColumn::Kind::Metric, .key = metric});
}

} // namespace

void TstMetricDirections::namesHaveTheDirectionOfTheirKind_data()
{
    QTest::addColumn<int>("row");
    int row = 0;
    for (const spec::MetricKind& kind : spec::metricKinds()) {
        const auto* field = spec::Metric::descriptor()->FindFieldByNumber(kind.key);
        QTest::newRow(field->name().c_str()) << row++;
    }
}

void TstMetricDirections::namesHaveTheDirectionOfTheirKind()
{
    QFETCH(int, row);
    const spec::MetricKind& kind = spec::metricKinds()[static_cast<std::size_t>(row)];
    const QString name = QTest::currentDataTag();
    QCOMPARE(directionInTable(name), kind.isMoreBetter);
    QCOMPARE(directionInTable(name + "/second_head"), kind.isMoreBetter);
    QCOMPARE(higherIsBetter("eval_test/" + name), kind.isMoreBetter.value_or(true));
}

void TstMetricDirections::headsAndFoldersChangeNone()
{
    QCOMPARE(directionInTable("eval_loss/auc"), std::optional(true));
    QCOMPARE(directionInTable("average_loss/recall"), std::optional(true));
    QCOMPARE(directionInTable("score"), std::optional(false)); // of k-means
    QCOMPARE(directionInTable("label/mean"), std::optional<bool>());
    QVERIFY(!higherIsBetter("global_step/sec/wait"));
    QVERIFY(!higherIsBetter("train/global_norm/gradient_norm"));
    QVERIFY(higherIsBetter("label/mean"));
}

void TstMetricDirections::baselinesHaveNone()
{
    QCOMPARE(directionInTable("accuracy_baseline"), std::optional<bool>());
    QCOMPARE(directionInTable("cannery/rmse_baseline"), std::optional<bool>());
    QVERIFY(!columnDirection({.kind = RunColumn::Kind::Duration}).has_value());
}

CANNERY_TEST(TstMetricDirections)
#include "tst_metric_directions.moc"
