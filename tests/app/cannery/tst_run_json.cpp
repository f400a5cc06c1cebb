// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/evaluation_view.h"
#include "app/cannery/reports/run_views.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <limits>

using namespace cannery;
using namespace cannery::app;
using cannery::tests::goldenReport;

/// The bytes of `cannery runs --json` and `cannery evaluate --json`.
class TstRunJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsAreListed();
    void aRunIsShown();
    void runsAreCompared();
    void anEvaluationHasTablesAndSlices();
};

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

QByteArray printed(const google::protobuf::Message& report)
{
    return QByteArray::fromStdString(reports::reportJson(report, 2));
}

std::vector<storage::ResultTable> tables()
{
    return {{.name = "confusion_matrix",
             .rows = {"no", "yes"},
             .columns = {"no", "yes"},
             .values = {4, 1, kNan, 0.5}}};
}

std::vector<storage::EvaluationSlice> slices()
{
    return {{.columns = {"sex", "town"},
             .groups = {{.values = {"male", std::nullopt}, .rows = 12, .metrics = {{"auc", 0.75}}},
                        {.values = {}, .merged = 3, .rows = 4, .metrics = {{"auc", -kInfinite}}}}}};
}

storage::RunDetails details()
{
    storage::RunDetails run;
    run.info = {.name = "run-001",
                .experimentName = "Titanic “é”",
                .experimentFile = "/p/titanic.cannery",
                .estimator = "dnn_classifier",
                .engine = "0.9, AVX2",
                .device = "CPU",
                .dataFingerprint = "12ab",
                .trainRows = 627,
                .evalRows = 264,
                .createdAt = 1796060576.5,
                .parameters = {{"train_spec.max_steps", "60"}, {"name", "\"t\""}}};
    run.status = {.state = storage::RunState::Finished,
                  .reason = "Reached step 60.",
                  .globalStep = 60,
                  .maxSteps = 60};
    run.annotations = {
        .title = "The first", .notes = "two \"lines\"\nof it", .tags = {"good", "odd"}};
    run.evaluations = {{.name = "", .globalStep = 40, .metrics = {{"loss", kNan}}},
                       {.name = "",
                        .globalStep = 60,
                        .metrics = {{"accuracy", 0.75}, {"loss", 0.5}},
                        .tables = tables(),
                        .slices = slices()}};
    run.checkpoints = {
        {.globalStep = 60, .bytes = 5'000'000'000, .savedAt = 1, .keptBecause = "latest"}};
    run.tags = {{.folder = "eval", .tag = "loss", .count = 2, .last = 0.5, .min = 0.5, .max = 1}};
    run.exports = {{.exporter = "best", .path = "/nowhere/17", .globalStep = 60}};
    return run;
}

/// Without annotations, an end or an evaluation.
storage::RunDetails otherRun()
{
    storage::RunDetails run;
    run.info = {.name = "run-002",
                .experimentName = "Titanic “é”",
                .estimator = "dnn_classifier",
                .createdAt = 1796060600,
                .parameters = {{"train_spec.max_steps", "40"}, {"name", "\"t\""}}};
    run.status = {.state = storage::RunState::Running, .globalStep = 3};
    run.annotations.colour = "#1d99f3";
    run.annotations.colourSlot = 2;
    run.annotations.star = true;
    return run;
}

storage::RunSummary summaryOf(const storage::RunDetails& run)
{
    storage::RunSummary summary{
        .info = run.info, .status = run.status, .annotations = run.annotations};
    if (!run.evaluations.empty()) {
        summary.lastEvaluation = run.evaluations.back();
    }
    return summary;
}

} // namespace

void TstRunJson::runsAreListed()
{
    QCOMPARE(printed(runsReport({summaryOf(details()), summaryOf(otherRun())})),
             goldenReport("runs.json"));
    QCOMPARE(printed(runsReport({})), QByteArray("{\n  \"runs\": []\n}"));
}

/// Its tags are those of its events: the ones that people gave are in the list only.
void TstRunJson::aRunIsShown()
{
    const storage::FoldResult folds{.sweep = "folds",
                                    .folds = 5,
                                    .diverged = 1,
                                    .metrics = {{"auc", 0.75, 0.125}, {"loss", kNan, kNan}}};
    QCOMPARE(printed(detailsReport(details(), "runs/run-001", folds)), goldenReport("run.json"));
    const reports::ShownRun other = detailsReport(otherRun(), "runs/run-002", {});
    QVERIFY(!other.has_best() && !other.has_cross_validation());
    QVERIFY(printed(other).contains("\"best\": null,\n  \"cross_validation\": null"));
}

void TstRunJson::runsAreCompared()
{
    QCOMPARE(printed(comparisonReport({details(), otherRun()})),
             goldenReport("run_comparison.json"));
}

/// Numbers that JSON does not know are words here, and null in `runs`.
void TstRunJson::anEvaluationHasTablesAndSlices()
{
    train::EvaluationResult result{.globalStep = 60, .checkpoint = "/r/model.ckpt-60"};
    result.metrics = {{"accuracy", 0.75}, {"loss", kNan}, {"worst", kInfinite}};
    result.tables = tables();
    result.slices = slices();
    result.rows = 264;
    QCOMPARE(printed(evaluationReport(result, {{.column = "age", .gain = 12.5, .fraction = 0.75}})),
             goldenReport("evaluation.json"));
    QVERIFY(!printed(evaluationReport({}, {})).contains("tables"));
}

CANNERY_TEST(TstRunJson)
#include "tst_run_json.moc"
