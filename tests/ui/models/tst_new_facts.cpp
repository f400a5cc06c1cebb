// SPDX-License-Identifier: GPL-3.0-only
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"
#include "ui/models/new_facts.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery::ui;

/// What the window reads in the answer of `cannery new`.
class TstNewFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void anExperimentComesWithItsReasons();
    void aLabelThatCannotBePredictedHasAProblem();
};

void TstNewFacts::anExperimentComesWithItsReasons()
{
    const NewFacts facts = newFactsFromJson(
        QJsonDocument::fromJson(cannery::tests::goldenReport("new.json")).object());
    QCOMPARE(facts.guess, QStringLiteral("bought"));
    QCOMPARE(facts.confidence, 0.75);
    QCOMPARE(facts.guessReason, QStringLiteral("it is the last column"));
    QCOMPARE(facts.task, QStringLiteral("binary classification"));
    QCOMPARE(facts.rows, 500);
    QCOMPARE(facts.text, QByteArray("name: \"é\"\n"));
    QCOMPARE(facts.table.columns.size(), 1);
    QCOMPARE(facts.table.columns[0].name, QStringLiteral("age"));
    QCOMPARE(facts.table.trainRows, -1);
    QCOMPARE(facts.leftOut.value("id"), QStringLiteral("different in each row"));
    QCOMPARE(facts.taken.value("zip"), QStringLiteral("as a category"));
    QCOMPARE(facts.warnings.value("age"), QStringLiteral("predicts the label"));
    QCOMPARE(facts.kinds.size(), 2);
    QCOMPARE(facts.kinds[0].estimator, QStringLiteral("linear_classifier"));
    QCOMPARE(facts.kinds[0].loss, std::optional(0.5));
    QVERIFY(!facts.kinds[1].loss);
    QCOMPARE(facts.chosen, QStringLiteral("linear"));
    QCOMPARE(facts.guessLoss, std::optional(0.6875));
    QVERIFY(!facts.seconds);
}

void TstNewFacts::aLabelThatCannotBePredictedHasAProblem()
{
    const NewFacts facts = newFactsFromJson(
        QJsonDocument::fromJson(R"({"task": "", "problems": [{"sentence": "All are equal."}]})")
            .object());
    QVERIFY(facts.task.isEmpty() && facts.kinds.isEmpty());
    QCOMPARE(facts.problem, QStringLiteral("All are equal."));
}

CANNERY_TEST(TstNewFacts)
#include "tst_new_facts.moc"
