// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/models/tables/component_facts.h"
#include "ui/models/tables/embedding_rows_model.h"
#include "ui/models/tables/loadings_model.h"

#include <QAbstractItemModelTester>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery::ui;

namespace {

QJsonObject objectOf(const char* text)
{
    return QJsonDocument::fromJson(text).object();
}

constexpr const char* kTable = R"({"rows": 500, "used_rows": 250,
    "columns": [{"name": "a", "mean": 1, "sd": 2, "missing": 0, "loadings": [0.75, -0.256]},
                {"name": "b", "mean": 1, "sd": 2, "missing": 1200, "loadings": [0.5, -0.001]}],
    "constant": ["always"], "beyond": ["last"], "others": [{"name": "city", "why": "texts"}],
    "components": [{"variance": 1.5, "share": 0.75}, {"variance": 0.5, "share": 0.25}],
    "label": "bought", "groups": ["no", ""],
    "points": [{"at": [2, 3], "group": 1}, {"at": [-2, 1], "group": 0}]})";

QList<ComponentPoint> words()
{
    return {{.x = 1, .y = 2, .group = -1, .text = "Bonn"},
            {.x = 3, .y = -0.5, .group = -1, .text = "Kiel"},
            {.x = 0, .y = 0, .group = -1, .text = "Köln"}};
}

} // namespace

class TstComponentModels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aTablesComponentsAreRead();
    void anEmbeddingIsRead();
    void answersOfOlderEnginesAreEmpty();
    void columnsShowWhatTheyFollowOrWhyTheyTakeNoPart();
    void onlyTheFirstComponentsAreColumns();
    void rowsAreFoundByTheirText();
};

void TstComponentModels::aTablesComponentsAreRead()
{
    const TableComponentFacts facts = tableComponentsFromJson(objectOf(kTable));
    QCOMPARE(facts.rows, 500);
    QCOMPARE(facts.usedRows, 250);
    QCOMPARE(facts.shares, (QList<double>{0.75, 0.25}));
    QCOMPARE(facts.usedColumns, 2);
    QCOMPARE(facts.columns.size(), 5);
    QCOMPARE(facts.columns[1].loadings, (QList<double>{0.5, -0.001}));
    QCOMPARE(facts.columns[1].remark, "1,200 missing");
    QCOMPARE(facts.columns[2].name, "always");
    QCOMPARE(facts.columns[2].remark, "always the same value");
    QCOMPARE(facts.columns[4].name, "city");
    QCOMPARE(facts.columns[4].remark, "texts");
    QVERIFY(facts.columns[4].loadings.isEmpty());
    QCOMPARE(facts.label, "bought");
    QCOMPARE(facts.groups, (QStringList{"no", "no label"}));
    // From left to right.
    QCOMPARE(facts.points.size(), 2);
    QCOMPARE(facts.points[0].x, -2.0);
    QCOMPARE(facts.points[0].group, 0);
    QCOMPARE(facts.points[1].y, 3.0);
    QCOMPARE(componentTitle(facts.shares, 0), QString("Component 1 · 75.0\u2009%"));
    QCOMPARE(componentTitle(facts.shares, 2), QString());
}

void TstComponentModels::anEmbeddingIsRead()
{
    const QList<EmbeddingTable> tables = embeddingTablesFromJson(objectOf(
        R"({"tables": [{"variable": "dnn/x", "column": "city", "rows": 3, "dimension": 4}]})"));
    QCOMPARE(tables.size(), 1);
    QCOMPARE(tables[0].variable, "dnn/x");
    QCOMPARE(tables[0].rows, 3);
    const EmbeddingFacts facts = embeddingFromJson(objectOf(
        R"({"variable": "dnn/x", "column": "city", "rows": 3, "dimension": 4, "problem": "No.",
            "components": [{"variance": 2, "share": 1}],
            "points": [{"id": 0, "text": "Bonn", "at": [4]}, {"id": 1, "text": "", "at": [-4]}]})"));
    QCOMPARE(facts.table, tables[0]);
    QCOMPARE(facts.problem, "No.");
    QCOMPARE(facts.points.size(), 2);
    QCOMPARE(facts.points[0].text, "Bonn");
    QCOMPARE(facts.points[0].x, 4.0); // in their order, which is the vocabulary's
    QCOMPARE(facts.points[1].y, 0.0);
    QCOMPARE(facts.points[1].group, -1);
}

void TstComponentModels::answersOfOlderEnginesAreEmpty()
{
    QCOMPARE(tableComponentsFromJson({}), TableComponentFacts());
    QCOMPARE(embeddingFromJson({}), EmbeddingFacts());
    QVERIFY(embeddingTablesFromJson({}).isEmpty());
}

void TstComponentModels::columnsShowWhatTheyFollowOrWhyTheyTakeNoPart()
{
    LoadingsModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    const TableComponentFacts facts = tableComponentsFromJson(objectOf(kTable));
    model.setColumns(facts.columns, facts.shares.size());
    QCOMPARE(model.rowCount(), 5);
    QCOMPARE(model.columnCount(), 4);
    const auto text = [&](int row, int column) {
        return model.index(row, column).data().toString();
    };
    QCOMPARE(text(0, LoadingsModel::NameColumn), "a");
    QCOMPARE(text(0, LoadingsModel::FirstLoading), "0.75");
    QCOMPARE(text(0, LoadingsModel::FirstLoading + 1), QString("\u22120.26"));
    QCOMPARE(text(1, LoadingsModel::FirstLoading + 1), "0.00");
    QCOMPARE(text(1, 3), "1,200 missing");
    QVERIFY(model.takesPart(1));
    // The reason is where the others have their numbers.
    QVERIFY(!model.takesPart(4));
    QCOMPARE(text(4, LoadingsModel::FirstLoading), "texts");
    QCOMPARE(text(4, LoadingsModel::FirstLoading + 1), QString());
    QCOMPARE(text(4, 3), QString());
    QCOMPARE(model.headerData(LoadingsModel::FirstLoading, Qt::Horizontal).toString(), "1");
}

void TstComponentModels::onlyTheFirstComponentsAreColumns()
{
    LoadingsModel model;
    model.setColumns({}, 10);
    QCOMPARE(model.columnCount(),
             int(LoadingsModel::FirstLoading + LoadingsModel::kMostComponents + 1));
}

void TstComponentModels::rowsAreFoundByTheirText()
{
    EmbeddingRowsModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setPoints(words());
    QCOMPARE(model.rowCount(), 3);
    model.setFilter("k");
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.index(0, EmbeddingRowsModel::TextColumn).data().toString(), "Kiel");
    QCOMPARE(model.index(0, EmbeddingRowsModel::IdColumn).data().toString(), "1");
    QCOMPARE(model.index(0, EmbeddingRowsModel::SecondColumn).data().toString(),
             QString("\u22120.5000"));
    QCOMPARE(model.pointAt(1), 2);
    QCOMPARE(model.pointAt(2), -1);
    QCOMPARE(model.rowOf(2), 1);
    QCOMPARE(model.rowOf(0), -1);
    model.setFilter({});
    QCOMPARE(model.rowOf(0), 0);
}

CANNERY_TEST(TstComponentModels)
#include "tst_component_models.moc"
