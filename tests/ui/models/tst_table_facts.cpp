// SPDX-License-Identifier: GPL-3.0-only
#include "core/reports/browse.pb.h"
#include "core/reports/report_json.h"
#include "tests/core/reports/report_golden.h"
#include "tests/support/test_main.h"
#include "ui/models/encoded_facts.h"
#include "ui/models/hashed_facts.h"
#include "ui/models/tables/column_facts.h"
#include "ui/models/tables/component_facts.h"
#include "ui/models/tables/table_remark.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::ui;

/// What the window reads in the answers of `cannery preview` and `cannery browse`.
class TstTableFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void columnsAndRowsOfAPreview();
    void firstRowsHaveTheSameColumns();
    void hashedColumnsHaveTheirValues();
    void rowsAsTheModelReceivesThem();
    void componentsAreSortedFromLeftToRight();
    void linesOfABrowserAreReadAndWrittenAgain();
};

namespace {

QJsonObject answer(const char* name)
{
    return QJsonDocument::fromJson(tests::goldenReport(name)).object();
}

} // namespace

void TstTableFacts::columnsAndRowsOfAPreview()
{
    const DataFacts facts = dataFactsFromJson(answer("preview.json"));
    QCOMPARE(facts.trainRows, 4);
    QCOMPARE(facts.evalRows, 2);
    const ColumnFacts& age = facts.columns[0];
    QCOMPARE(age.dtype, QStringLiteral("float32"));
    QCOMPARE(age.use, QStringLiteral("feature"));
    QCOMPARE(age.missing, 1);
    QCOMPARE(age.deviation, 1.0 / 3);
    QCOMPARE(age.quantiles.size(), 101);
    QCOMPARE(age.bins, (QList<double>{1, 0, 2}));
    QCOMPARE(age.binsEnd, 80.0);
    QCOMPARE(age.binCounts, (QList<double>{1, 2})); // of few values without gaps
    QCOMPARE(age.times, (QStringList{"2020-01-01", "2021-01-01"}));
    const ColumnFacts& town = facts.columns[1];
    QCOMPARE(town.name, QStringLiteral("town “é”"));
    QVERIFY(!town.minimum && town.bins.isEmpty());
    QCOMPARE(town.binLabels, (QStringList{"Bonn", "Köln"}));
    QCOMPARE(town.values.size(), 3);
    QCOMPARE(town.values[2].value, QStringLiteral("Ulm"));
    QCOMPARE(town.values[2].evaluation, 1);
    QCOMPARE(facts.texts.size(), 3);
    QVERIFY(facts.texts[1][0].isNull() && !facts.texts[0][0].isNull());
    QCOMPARE(columnNamesFromJson(answer("preview.json")), (QStringList{"age", town.name}));
    QVERIFY(tableRemarksFromJson(answer("preview.json")).first().isNote);
}

void TstTableFacts::firstRowsHaveTheSameColumns()
{
    const DataFacts facts = dataFactsFromJson(answer("first_rows.json"));
    QCOMPARE(facts.trainRows, -1);
    QVERIFY(facts.hasColumnsOf(dataFactsFromJson(answer("preview.json"))));
    QCOMPARE(facts.columns[0].distinct, 3);
    QCOMPARE(facts.columns[0].use, QStringLiteral("feature"));
    QVERIFY(facts.columns[0].binCounts.isEmpty());
}

void TstTableFacts::hashedColumnsHaveTheirValues()
{
    const QHash<QString, HashedFacts> columns = hashedFactsFromJson(answer("preview.json"));
    const HashedFacts cross = columns.value("cross");
    QCOMPARE(cross.labelName, QStringLiteral("town “é”"));
    QVERIFY(cross.areShares && !cross.isExact && cross.problem.isEmpty());
    QCOMPARE(cross.sharing(), 1.0);
    QCOMPARE(cross.values[0].values, (QStringList{"Bonn", "id 3"}));
    QVERIFY(cross.values[1].values[1].isNull());
    QVERIFY(std::isnan(cross.values[1].label[0]));
    QCOMPARE(columns.value("gone").problem, QStringLiteral("The table has no feature 'x'."));
    QVERIFY(columns.value("gone").isExact);
}

void TstTableFacts::rowsAsTheModelReceivesThem()
{
    const QJsonObject preview = answer("preview.json");
    const QList<EncodedInputFacts> inputs = encodedInputsFromJson(preview);
    QCOMPARE(inputs.size(), 4);
    QCOMPARE(inputs[1].column, QStringLiteral("town_indicator_column"));
    QVERIFY(inputs[1].areIds && !inputs[0].areIds && inputs[3].areSteps);
    QCOMPARE(inputs[2].width, 50);
    QCOMPARE(columnProblemsFromJson(preview).first().path, QStringLiteral("f[2].file"));
    const QList<EncodedCellFacts> row =
        encodedRowFromJson(preview.value("rows").toArray().first().toObject());
    QStringList names;
    for (const EncodedCellFacts& cell : row) {
        names << cell.name;
    }
    QCOMPARE(names, (QStringList{"age", "label", "none", "tags", "town_indicator", "visits"}));
    QCOMPARE(row[0].values[0].number, 28.0);
    QCOMPARE(row[0].values[1].number, double(0.1F));
    QVERIFY(row[2].values.isEmpty());
    QCOMPARE(row[3].values[0].number, 3.0);
    QCOMPARE(row[3].values[0].weight, std::optional(0.5));
    QCOMPARE(row[4].values[0].number, 1.0);
    QCOMPARE(row[5].values[1].step, QList<double>{2.5});
}

void TstTableFacts::componentsAreSortedFromLeftToRight()
{
    const TableComponentFacts facts = tableComponentsFromJson(answer("components.json"));
    QCOMPARE(facts.rows, 500);
    QCOMPARE(facts.shares, (QList<double>{0.75, 0.25}));
    QCOMPARE(facts.columns.size(), 5);
    QCOMPARE(facts.usedColumns, 2);
    QCOMPARE(facts.points[0].x, -2.0);
    QCOMPARE(facts.points[0].group, 0);
}

void TstTableFacts::linesOfABrowserAreReadAndWrittenAgain()
{
    for (const QByteArray& line : tests::goldenLines("browse.jsonl")) {
        reports::BrowseLine read;
        QVERIFY(reports::readReport(line.toStdString(), read));
        QVERIFY(read.answer_case() != reports::BrowseLine::ANSWER_NOT_SET);
        QCOMPARE(QByteArray::fromStdString(reports::reportJson(read)), line);
    }
}

CANNERY_TEST(TstTableFacts)
#include "tst_table_facts.moc"
