// SPDX-License-Identifier: Apache-2.0
#include "storage/runs/run_files.h"
#include "storage/runs/run_json.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <limits>

using namespace cannery;
using namespace cannery::storage;

namespace {

RunEvaluation plainAt(std::int64_t step)
{
    return {.globalStep = step, .wallTime = 1001.5, .metrics = {{"loss", 0.25}}};
}

RunEvaluation detailedAt(std::int64_t step)
{
    RunEvaluation evaluation = plainAt(step);
    evaluation.tables = {{.name = "confusion_matrix",
                          .rows = {"no", "yes"},
                          .columns = {"no", "yes"},
                          .values = {3, 0.5, std::numeric_limits<double>::infinity(), 1}}};
    evaluation.slices = {
        {.columns = {"sex", "deck"},
         .groups = {{.values = {"male", std::nullopt}, .rows = 7, .metrics = {{"auc", 0.5}}},
                    {.merged = 12, .rows = 20, .metrics = {{"auc", 0.25}}}}}};
    return evaluation;
}

} // namespace

/// Tables and slices of evaluations.
class TstEvaluationDetails : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFolderKeepsThem();
    void theyAreAddedToWhatAStoreHas();
    void groupsAreDescribed();
    void aTableWithoutItsNumbersIsDamaged();
};

void TstEvaluationDetails::theFolderKeepsThem()
{
    const QTemporaryDir folder;
    RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(plainAt(3)));
    VERIFY_OK(files.addEvaluation(detailedAt(5)));
    const auto read = files.readEvaluations();
    VERIFY_OK(read);
    QCOMPARE(read->front(), plainAt(3));
    QCOMPARE(read->back(), detailedAt(5));
}

/// The last evaluation of a step counts, as in the store.
void TstEvaluationDetails::theyAreAddedToWhatAStoreHas()
{
    const QTemporaryDir folder;
    RunFiles files(folder.path().toStdString());
    VERIFY_OK(files.addEvaluation(plainAt(5)));
    VERIFY_OK(files.addEvaluation(detailedAt(5)));
    VERIFY_OK(files.addEvaluation(detailedAt(7)));
    VERIFY_OK(files.addEvaluation(plainAt(7)));
    std::vector<RunEvaluation> evaluations{plainAt(3), plainAt(5), plainAt(7)};
    VERIFY_OK(files.addDetails(evaluations));
    QCOMPARE(evaluations, (std::vector{plainAt(3), detailedAt(5), plainAt(7)}));
}

void TstEvaluationDetails::groupsAreDescribed()
{
    const EvaluationSlice slice = detailedAt(1).slices[0];
    QCOMPARE(describe(slice.groups[0]), std::string("male, (missing)"));
    QCOMPARE(describe(slice.groups[1]), std::string("12 small groups"));
}

void TstEvaluationDetails::aTableWithoutItsNumbersIsDamaged()
{
    const auto read = runEvaluationFromJson(
        R"({"global_step":5,"metrics":{},"tables":[{"name":"m","rows":["a","b"],"columns":["c"],)"
        R"("values":[[1]]}]})");
    QVERIFY(!read);
    QCOMPARE(read.error().id, "run.damaged");
}

CANNERY_TEST(TstEvaluationDetails)
#include "tst_evaluation_details.moc"
