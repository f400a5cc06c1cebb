// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery::tests;

/// What `check` and `preview` say about a table before a model learns from it.
class TstRemarks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void checkSaysWhatOpeningTheTableShows();
    void previewReadsEveryRowForThem();
    void previewTellsWhatRowsCanBeSplitBy();

private:
    /// The row's number is read as a feature, and nothing is stratified.
    static void spoil(const ProjectFixture& project);
};

void TstRemarks::spoil(const ProjectFixture& project)
{
    QByteArray text = project.experiment("feature_columns: [", "feature_columns: [\"id\", ");
    text += "feature_column { name: \"id\" numeric_column { key: \"id\" } }\n";
    project.write("fixture.cannery", text);
}

void TstRemarks::checkSaysWhatOpeningTheTableShows()
{
    const ProjectFixture project;
    QVERIFY(!project.run({"check", "fixture.cannery"}).err.contains("note:"));
    spoil(project);
    const ProgramResult checked = project.run({"check", "fixture.cannery"});
    QCOMPARE(checked.exitCode, 0);
    QVERIFY2(checked.err.contains("note: Hardly any two rows share a value in 'id' (the rows are "
                                  "numbered one after the other)"),
             qPrintable(checked.err));
    const QJsonArray remarks =
        json(project.run({"check", "fixture.cannery", "--json"}))["remarks"].toArray();
    QCOMPARE(remarks.size(), 1);
    const QJsonObject remark = remarks[0].toObject();
    QCOMPARE(remark["id"].toString(), "remark.identifier");
    QCOMPARE(remark["level"].toString(), "decision");
    QCOMPARE(remark["columns"].toArray(), QJsonArray{"id"});
    QCOMPARE(remark["actions"].toArray()[0].toObject()["kind"].toString(), "leave_out");
    const QJsonObject key = remark["actions"].toArray()[1].toObject();
    QCOMPARE(key["edits"].toArray()[0].toObject()["path"].toString(), "data.key_column");
    QCOMPARE(key["edits"].toArray()[0].toObject()["text"].toString(), "[\"id\"]");
}

void TstRemarks::previewReadsEveryRowForThem()
{
    const ProjectFixture project;
    const QStringList words{"preview", "fixture.cannery"};
    QVERIFY(!project.run(words).err.contains("note:"));
    // The evaluation rows of the fixture are its training rows.
    const ProgramResult all = project.run(words + QStringList{"--remarks"});
    QVERIFY2(all.err.contains("note: 200 of 200 evaluation rows (100 %) equal a training row"),
             qPrintable(all.err));
    const QJsonArray remarks =
        json(project.run(words + QStringList{"--json"}))["remarks"].toArray();
    QCOMPARE(remarks.size(), 1);
    QCOMPARE(remarks[0].toObject()["id"].toString(), "remark.twins");
}

void TstRemarks::previewTellsWhatRowsCanBeSplitBy()
{
    const ProjectFixture project;
    QByteArray table = project.read("table.csv");
    QList<QByteArray> lines = table.split('\n');
    for (int i = 0; i < lines.size(); ++i) {
        if (!lines[i].isEmpty()) {
            lines[i] += i == 0
                            ? QByteArray(",day")
                            : "," + QDate(2024, 1, 1).addDays(i - 1).toString(Qt::ISODate).toUtf8();
        }
    }
    project.write("table.csv", lines.join('\n'));
    const QJsonArray columns =
        json(project.run({"preview", "fixture.cannery", "--json"}))["columns"].toArray();
    QJsonArray values;
    QJsonArray times;
    for (const QJsonValue& column : columns) {
        const QJsonObject facts = column.toObject();
        if (facts["name"].toString() == "colour") {
            values = facts["values"].toArray();
        }
        if (facts["name"].toString() == "day") {
            times = facts["times"].toArray();
        }
    }
    QCOMPARE(values.size(), 3);
    QCOMPARE(values[0].toObject()["value"].toString(), "blue");
    int rows = 0;
    for (const QJsonValue& value : std::as_const(values)) {
        rows += value.toObject()["train"].toInt();
        QCOMPARE(value.toObject()["train"].toInt(), value.toObject()["eval"].toInt());
    }
    QCOMPARE(rows, 200);
    QCOMPARE(times.size(), 101);
    QCOMPARE(times.first().toString(), "2024-01-01");
    QCOMPARE(times[50].toString().left(7), "2024-04");
    QCOMPARE(times.last().toString(), "2024-07-18");
}

CANNERY_TEST(TstRemarks)
#include "tst_remarks.moc"
