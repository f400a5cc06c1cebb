// SPDX-License-Identifier: Apache-2.0
#include "app/cannery/reports/export_features.h"
#include "app/cannery/reports/export_view.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::app;

/// The bytes of `cannery export --json`.
class TstExportJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyMemberOfAnExport();
};

namespace {

ExportedModel exported()
{
    ExportedModel model{.path = "exports/t/17", .bytes = 5'000'000'000};
    storage::Signature predict{.methodName = "tensorflow/serving/predict"};
    predict.inputs["examples"] = {.name = "input:0", .dtype = DType::String, .shape = Shape{-1}};
    predict.outputs["logits"] = {
        .name = "logits:0", .dtype = DType::Float32, .shape = Shape{-1, 2}};
    predict.outputs["count"] = {.name = "count:0", .dtype = DType::Int64, .shape = Shape{}};
    model.signatures["predict"] = predict;
    return model;
}

ExportFeatures features()
{
    return {
        .areOfExamples = true,
        .list = {{.name = "age", .dtype = "float", .values = "one", .isRequired = true},
                 {.name = "fare",
                  .dtype = "float",
                  .values = "2",
                  .fallback = "[0.5,7.0]",
                  .column = "Fare"},
                 {.name = "deck", .dtype = "string", .values = "any number", .fallback = "\"é\""},
                 {.name = "rank", .dtype = "int64", .values = "one", .fallback = "-3"}},
        .request = "{\"instances\":[]}",
        .path = "POST /v1/models/NAME:predict"};
}

} // namespace

void TstExportJson::everyMemberOfAnExport()
{
    reports::Export report = exportReport(exported());
    report.set_checkpoint("/r/model.ckpt-200");
    report.set_global_step(200);
    report.mutable_verification()->set_rows(20);
    report.mutable_verification()->set_equal(20);
    report.mutable_verification()->set_max_difference(3e-7);
    report.mutable_verification()->set_boundary_rows(4);
    report.mutable_verification()->set_metrics(9);
    *report.mutable_serving() = servingReport(features());
    QCOMPARE(QByteArray::fromStdString(reports::reportJson(report, 2)),
             cannery::tests::goldenReport("export.json"));
}

CANNERY_TEST(TstExportJson)
#include "tst_export_json.moc"
