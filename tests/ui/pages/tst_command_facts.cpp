// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/shown_numbers.h"
#include "tests/support/test_main.h"
#include "ui/models/export_facts.h"
#include "ui/models/plan_facts.h"
#include "ui/models/signature_model.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/rows_preview_model.h"

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;

/// How the pages parse the JSON of commands.
class TstCommandFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void previewTellsColumnsAndRows();
    void missingCellsAreMarkedNotEmpty();
    void whatAnEngineDoesNotSayIsUnknown();
    void planTellsLayersAndCosts();
    void exportTellsItsCheck();
    void signatureListsInputsBeforeOutputs();

private:
    static QJsonObject parsed(const char* json) { return QJsonDocument::fromJson(json).object(); }
    static QJsonObject preview()
    {
        return parsed(R"({"sources": {"train": {"rows": 200}, "eval": {"rows": 50}},
 "columns": [
  {"name": "age", "type": "number", "use": "feature", "missing": 20, "distinct": 76, "min": 0.5,
   "max": 80, "median": 28, "histogram": {"labels": [], "counts": [1, 5, 2]}},
  {"name": "alive", "type": "number", "use": "label", "missing": 0, "distinct": 2,
   "histogram": {"labels": [], "counts": [120, 0, 0, 80]}}],
 "texts": [["22", "0"], [null, "1"]]})");
    }
};

void TstCommandFacts::previewTellsColumnsAndRows()
{
    const DataFacts facts = dataFactsFromJson(preview());
    QCOMPARE(facts.trainRows, 200);
    QCOMPARE(facts.evalRows, 50);
    QCOMPARE(facts.columns.size(), 2);
    QCOMPARE(facts.find("age")->median.value(), 28);
    QCOMPARE(facts.missingShare(*facts.find("age")), 0.1);
    QCOMPARE(facts.find("alive")->binCounts, (QList<double>{120, 80}));
}

void TstCommandFacts::missingCellsAreMarkedNotEmpty()
{
    RowsPreviewModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setFacts(dataFactsFromJson(preview()));
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(1, 0).data().toString(), "?");
    QVERIFY(model.index(1, 0).data(RowsPreviewModel::MissingRole).toBool());
    QVERIFY(!model.index(0, 0).data(RowsPreviewModel::MissingRole).toBool());
    QCOMPARE(model.headerData(0, Qt::Horizontal, Qt::AccessibleTextRole).toString(),
             cannery::tests::shownNumbers(
                 "age, number, 10.0 % missing, 0.5 to 80, median 28, 76 distinct"));
}

void TstCommandFacts::whatAnEngineDoesNotSayIsUnknown()
{
    QVERIFY(dataFactsFromJson({}).isEmpty());
    QCOMPARE(dataFactsFromJson({}).trainRows, -1);
    QVERIFY(planFactsFromJson({}).isEmpty());
    QVERIFY(!planFactsFromJson(parsed(R"({"estimated_seconds": null})")).seconds);
    QVERIFY(!exportFactsFromJson({}).isVerified());
}

void TstCommandFacts::planTellsLayersAndCosts()
{
    const PlanFacts plan = planFactsFromJson(
        parsed(R"({"layers": [{"name": "dense", "type": "dense", "shape": [64], "parameters": 768},
  {"name": "lstm", "type": "lstm", "shape": [-1, 16], "parameters": 1600}],
 "parameters": 3354, "memory_bytes": 150883, "estimated_seconds": 0.5, "wide_inputs": 176})"));
    QCOMPARE(plan.layers.size(), 2);
    QCOMPARE(plan.layers[0].shape, "64");
    QCOMPARE(plan.layers[1].shape, "steps × 16");
    QCOMPARE(plan.parameters, 3354);
    QCOMPARE(plan.seconds.value(), 0.5);
    QCOMPARE(plan.wideInputs, 176);
}

void TstCommandFacts::exportTellsItsCheck()
{
    const ExportFacts facts = exportFactsFromJson(parsed(R"({"path": "exports/t/17", "bytes": 24000,
 "signatures": [{"name": "predict", "method": "tensorflow/serving/predict",
  "inputs": [{"name": "age", "dtype": "float32", "shape": [-1]}],
  "outputs": [{"name": "logits", "dtype": "float32", "shape": [-1, 1]}]}],
 "verification": {"rows": 20, "equal": 20, "max_difference": 3e-7}})"));
    QVERIFY(facts.isVerified());
    QCOMPARE(facts.signatures[0].inputs[0].shape, "[batch]");
    QCOMPARE(facts.signatures[0].outputs[0].shape, "[batch, 1]");
    QCOMPARE(facts.maxDifference, 3e-7);
}

void TstCommandFacts::signatureListsInputsBeforeOutputs()
{
    SignatureModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setSignature({.name = "predict",
                        .inputs = {{"age", "float32", "[batch]"}},
                        .outputs = {{"logits", "float32", "[batch, 1]"}}});
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, SignatureModel::DirectionColumn).data().toString(), "input");
    QCOMPARE(model.index(1, SignatureModel::NameColumn).data().toString(), "logits");
}

CANNERY_TEST(TstCommandFacts)

#include "tst_command_facts.moc"
