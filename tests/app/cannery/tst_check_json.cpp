// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/input/experiment_input.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using cannery::tests::goldenReport;

/// The bytes of problems and remarks in `cannery check --json`.
class TstCheckJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void problemsAndRemarks();
    void listsAlone();
};

namespace {

std::vector<spec::Problem> problems()
{
    spec::Problem first{.severity = spec::Severity::Error, .line = 12, .column = 3};
    first.fieldPath = "estimator.dnn_classifier.dropout";
    first.error = {.id = "spec.above_range",
                   .arguments = {"1.5", "1"},
                   .sentence = "1.5 is more than \"1\".",
                   .notes = {"reading é"}};
    spec::Problem second{.severity = spec::Severity::Warning};
    second.error = {.id = "data.no_file", .sentence = "There is no file."};
    return {first, second};
}

std::vector<survey::TableRemark> remarks()
{
    return {{.error = {.id = "remark.key", .sentence = "'id' is different in each row."},
             .columns = {"id", "name"},
             .actions = {{.kind = "leave_out", .edits = {}},
                         {.kind = "key", .edits = {{"data.key_column", "\"id\""}}}}},
            {.error = {.id = "remark.few", .sentence = "Few rows."}, .isNote = true}};
}

} // namespace

void TstCheckJson::problemsAndRemarks()
{
    reports::Check check;
    check.set_file("titanic.cannery");
    *check.mutable_problems() = app::problemsReport(problems(), "titanic.cannery").problems();
    *check.mutable_remarks() = survey::remarksReport(remarks()).remarks();
    check.mutable_facts()->set_name("Titanic");
    check.mutable_facts()->set_estimator("dnn_classifier");
    check.mutable_facts()->set_feature_columns(2);
    check.mutable_facts()->set_batch_size(128);
    check.mutable_facts()->set_has_evaluation(true);
    check.mutable_facts()->set_max_steps(2000);
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(check, 2)), goldenReport("check.json"));
}

void TstCheckJson::listsAlone()
{
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(survey::remarksReport(remarks()))),
             goldenReport("remarks.json"));
    QCOMPARE(reports::reportJson(app::problemsReport({}, "f")), std::string("[]"));
}

CANNERY_TEST(TstCheckJson)
#include "tst_check_json.moc"
