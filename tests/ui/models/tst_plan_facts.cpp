// SPDX-License-Identifier: GPL-3.0-only
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"
#include "ui/models/plan_facts.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery::ui;
using cannery::tests::goldenReport;

/// What the window reads in the answers of `cannery plan`.
class TstPlanFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyFactIsRead();
    void whatWasNotMeasuredIsUnknown();
    void learningRatesAreCurves();

private:
    static QJsonObject answer(const char* name)
    {
        return QJsonDocument::fromJson(goldenReport(name)).object();
    }
};

void TstPlanFacts::everyFactIsRead()
{
    const PlanFacts plan = planFactsFromJson(answer("plan.json"));
    QCOMPARE(plan.layers.size(), 2);
    QCOMPARE(plan.layers[0].name, QStringLiteral("dnn/hiddenlayer_0"));
    QCOMPARE(plan.layers[0].type, QStringLiteral("dense"));
    QCOMPARE(plan.layers[0].shape, QStringLiteral("64"));
    QCOMPARE(plan.layers[0].parameters, 768);
    QCOMPARE(plan.layers[1].shape, QStringLiteral("steps × 16"));
    QCOMPARE(plan.parameters, 3354);
    QCOMPARE(plan.memoryBytes, 150'419);
    QCOMPARE(plan.multiplyAdds, 3200);
    QCOMPARE(plan.seconds.value_or(0), 2.5);
    QCOMPARE(plan.secondsLow.value_or(0), 2.0);
    QCOMPARE(plan.secondsHigh.value_or(0), 3.25);
    QCOMPARE(plan.secondsPerEpoch.value_or(0), 0.018);
    QCOMPARE(plan.measuredSteps, 120);
    QVERIFY(plan.mayTrainOnGpu);
    QCOMPARE(plan.measuredRows, 712);
    QCOMPARE(plan.measuredBytes, 60'000'000);
    QCOMPARE(plan.programBytes, 40'000'000);
    QCOMPARE(plan.trainRows, 712);
    QCOMPARE(plan.wideInputs, 176);
    QCOMPARE(plan.deepInputs, 11);
    QCOMPARE(plan.warmStart.checkpoint, QStringLiteral("/r/model.ckpt-200"));
    QCOMPARE(plan.warmStart.problem, QStringLiteral("The kernel is 5 × 8."));
    QCOMPARE(plan.warmStart.variables.size(), 3);
    QCOMPARE(plan.warmStart.variables[0].previousShape, QStringLiteral("5 × 8"));
    QVERIFY(plan.warmStart.variables[1].isThere); // a single number
    QVERIFY(!plan.warmStart.variables[2].isThere);
    QCOMPARE(plan.warmStart.caughtBy(1), 1);
    const StrategyFacts alone{.name = QStringLiteral("one_device"),
                              .replicas = 1,
                              .batchPerReplica = 32,
                              .batchPerStep = 32,
                              .memoryBytes = 5'000'000'000,
                              .stepsPerSecond = 1234.5,
                              .rowsPerSecond = 39504};
    QCOMPARE(plan.strategies.size(), 2);
    QCOMPARE(plan.strategies[0], alone);
    QVERIFY(!plan.strategies[1].available);
    QVERIFY(!plan.strategies[1].stepsPerSecond);
    QCOMPARE(plan.workers.recommended, 2);
    QCOMPARE(plan.workers.curve.last().efficiency, 0.729);
}

void TstPlanFacts::whatWasNotMeasuredIsUnknown()
{
    const PlanFacts plan = planFactsFromJson(answer("plan_unmeasured.json"));
    QVERIFY(!plan.isEmpty());
    QVERIFY(!plan.seconds && !plan.secondsLow && !plan.secondsPerEpoch);
    QCOMPARE(plan.measuredSteps, 0);
    QCOMPARE(plan.measuredBytes, -1);
    QCOMPARE(plan.wideInputs, -1);
    QVERIFY(plan.warmStart.isEmpty() && plan.workers.isEmpty());
}

void TstPlanFacts::learningRatesAreCurves()
{
    const auto curves = learningRatesFromJson(answer("learning_rates.json"));
    QCOMPARE(curves, learningRatesFromJson(answer("plan.json")));
    QCOMPARE(curves.size(), 1);
    QCOMPARE(curves[0].schedule, QStringLiteral("cosine_decay"));
    QCOMPARE(curves[0].points.size(), 3);
    QCOMPARE(curves[0].points[1], QPointF(1000, 0.05F));
    QVERIFY(curves[0].changes());
}

CANNERY_TEST(TstPlanFacts)
#include "tst_plan_facts.moc"
