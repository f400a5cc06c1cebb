// SPDX-License-Identifier: GPL-3.0-only
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"
#include "ui/models/export_facts.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery::ui;

/// What the window reads in the answer of `cannery export`.
class TstExportFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void signaturesAndCheckAreRead();
};

void TstExportFacts::signaturesAndCheckAreRead()
{
    const ExportFacts facts = exportFactsFromJson(
        QJsonDocument::fromJson(cannery::tests::goldenReport("export.json")).object());
    QCOMPARE(facts.path, QStringLiteral("exports/t/17"));
    QCOMPARE(facts.bytes, 5'000'000'000);
    QCOMPARE(facts.signatures.size(), 1);
    const SignatureFacts& predict = facts.signatures.first();
    QCOMPARE(predict.name, QStringLiteral("predict"));
    QCOMPARE(predict.method, QStringLiteral("tensorflow/serving/predict"));
    QCOMPARE(predict.inputs.first().type, QStringLiteral("string"));
    QCOMPARE(predict.inputs.first().shape, QStringLiteral("[batch]"));
    QCOMPARE(predict.outputs.size(), 2);
    QCOMPARE(predict.outputs[0].shape, QStringLiteral("[]"));
    QCOMPARE(predict.outputs[1].shape, QStringLiteral("[batch, 2]"));
    QCOMPARE(facts.maxDifference, 3e-7);
    QVERIFY(facts.isVerified());
}

CANNERY_TEST(TstExportFacts)
#include "tst_export_facts.moc"
