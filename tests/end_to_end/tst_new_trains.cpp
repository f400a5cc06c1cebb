// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/database.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSet>
#include <QTest>

#include <vector>

using namespace cannery;
using namespace cannery::tests;

namespace {

constexpr int kRows = 120;

struct Column
{
    QString name;
    QStringList cells;
};
using Table = std::vector<Column>;

template <typename CellOf>
Column column(const QString& name, const CellOf& cellOf)
{
    Column made{name, {}};
    for (int row = 0; row < kRows; ++row) {
        made.cells.append(cellOf(row));
    }
    return made;
}

bool isHigh(int row)
{
    return row * 37 % kRows > kRows / 2;
}

QString number(int row)
{
    return QString::number((isHigh(row) ? 3 : 1) + row % 10 / 10.0);
}

/// Labels of two or three classes, or a number. Those of a kind may be spelled in several ways.
Column labelsOf(const QString& kind)
{
    return column("goal", [&](int row) -> QString {
        const int high = isHigh(row) ? 1 : 0;
        if (kind == "signed") {
            return high == 1 ? "+1" : "-1";
        }
        if (kind == "floats") {
            return high == 1 ? "1.0" : "0.0";
        }
        if (kind == "codes") {
            return high == 1 ? "00111" : row % 2 == 0 ? "02134" : "10001";
        }
        if (kind == "exponents") {
            return high == 1 ? "1e0" : "2e0";
        }
        if (kind == "mixed") {
            return high == 1 ? (row % 3 == 0 ? "1" : "1.0") : "2";
        }
        if (kind == "words") {
            return high == 1 ? "yes, \"sure\"" : "no";
        }
        if (kind == "gaps") {
            return row % 7 == 3 ? "" : high == 1 ? "b" : "a";
        }
        if (kind == "float gaps") {
            return row % 7 == 3 ? "" : high == 1 ? "1.0" : "0.0";
        }
        return kind == "number gaps" && row % 9 == 4 ? QString()
                                                     : QString::number(2.5 * row + high);
    });
}

/// What a person may call two numbers and a category.
QStringList namesOf(const QString& kind)
{
    return kind == "units"     ? QStringList{"size [mm]", "size (mm)", "size {mm}"}
           : kind == "scripts" ? QStringList{"年龄", "城市", "доход"}
           : kind == "derived" ? QStringList{"x", "x_raw", "x_buckets"}
           : kind == "endings" ? QStringList{"x_bucketized", "x", "x_indicator"}
           : kind == "odd"     ? QStringList{"a\nb", "label", "weight"}
           : kind == "long"    ? QStringList{QString(1200, 'n'), QString(1200, 'n') + "2", "_"}
                               : QStringList{"x", "y", "z"};
}

Table tableOf(const QString& labels, const QString& names)
{
    const QStringList called = namesOf(names);
    Table table{
        column(called[0], [](int row) { return number(row); }),
        column(called[1], [](int row) { return row % 11 == 5 ? QString() : number(row * 7); }),
        column(called[2], [](int row) {
            return QString(row % 5 == 0 ? "" : isHigh(row) ? "u;\"v\"" : "w, x");
        })};
    // Whichever rows are held back, one of these is constant, or has no number, in the others.
    for (int i = 0; i < 4; ++i) {
        table.push_back(column("rare" + QString::number(i),
                               [&](int row) { return QString(row == 17 * i + 3 ? "1" : "0"); }));
    }
    table.push_back(column("seldom", [](int row) {
        return row == 20 || row == 64 ? QString::number(row / 8.0) : QString();
    }));
    table.push_back(labelsOf(labels));
    return table;
}

QByteArray csv(const Table& table)
{
    const auto cell = [](const QString& text) {
        return QByteArray("\"") + QString(text).replace("\"", "\"\"").toUtf8() + "\"";
    };
    QByteArray text;
    for (int row = -1; row < kRows; ++row) {
        for (const Column& column : table) {
            const QString& value = row < 0 ? column.name : column.cells[row];
            text += value.isEmpty() ? "" : cell(value);
            text += &column == &table.back() ? "\n" : ",";
        }
    }
    return text;
}

void writeDatabase(const Table& table, const QString& path)
{
    const auto quoted = [](const QString& text, char mark) {
        return mark + QString(text).replace(QString(mark), QString(2, mark)) + mark;
    };
    auto database = storage::Database::open(
        path.toStdString(), storage::DatabaseMode::ReadWriteCreate, storage::Durability::Normal);
    VERIFY_OK(database);
    VERIFY_OK(database->execute("pragma synchronous = off"));
    QStringList columns;
    for (const Column& column : table) {
        columns.append(quoted(column.name, '"'));
    }
    VERIFY_OK(database->execute(("create table t (" + columns.join(", ") + ")").toStdString()));
    for (int row = 0; row < kRows; ++row) {
        QStringList values;
        for (const Column& column : table) {
            bool isNumber = false;
            column.cells[row].toDouble(&isNumber);
            values.append(column.cells[row].isEmpty() ? QString("null")
                          : isNumber                  ? column.cells[row]
                                                      : quoted(column.cells[row], '\''));
        }
        VERIFY_OK(
            database->execute(("insert into t values (" + values.join(", ") + ")").toStdString()));
    }
}

} // namespace

/// What `new` writes trains, predicts and exports, whatever people's tables look like.
class TstNewTrains : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyTableTrainsPredictsAndExports_data();
    void everyTableTrainsPredictsAndExports();
    void rowsWithoutALabelAreLeftOutAndCounted();
    void wholeNumbersOfAFewRowsAreNoClasses();
    void aColumnWithoutANumberToTrainOnIsNormalizedToZero();

private:
    static void verify(const ProgramResult& result);
};

void TstNewTrains::everyTableTrainsPredictsAndExports_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("labels");
    QTest::addColumn<QString>("names");
    QTest::addColumn<QString>("estimator");
    const auto add = [](const char* source, const char* labels, const char* names,
                        const char* estimator) {
        QTest::addRow("%s, %s, %s, %s", source, labels, names, estimator)
            << source << labels << names << estimator;
    };
    add("csv", "signed", "units", "linear");
    add("csv", "floats", "scripts", "auto");
    add("csv", "codes", "derived", "linear_classifier");
    add("csv", "exponents", "endings", "dnn");
    add("csv", "mixed", "odd", "boosted_trees");
    add("csv", "words", "long", "auto");
    add("csv", "gaps", "derived", "boosted_trees");
    add("csv", "float gaps", "units", "auto");
    add("csv", "number gaps", "scripts", "boosted_trees");
    add("csv", "numbers", "odd", "auto");
    add("sqlite", "signed", "scripts", "auto");
    add("sqlite", "float gaps", "units", "linear");
    add("sqlite", "words", "odd", "boosted_trees");
    add("tfrecord", "floats", "derived", "auto");
    add("tfrecord", "words", "scripts", "linear");
    add("tfrecord", "numbers", "units", "boosted_trees");
}

void TstNewTrains::verify(const ProgramResult& result)
{
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
}

void TstNewTrains::everyTableTrainsPredictsAndExports()
{
    QFETCH(QString, source);
    QFETCH(QString, labels);
    QFETCH(QString, names);
    QFETCH(QString, estimator);
    const ProjectFixture project;
    Table table = tableOf(labels, names);
    if (source == "csv") { // a TFRecord holds float32 alone
        table.insert(table.begin(),
                     column("tiny", [](int row) { return QString::number(row % 10) + "e-46"; }));
        table.insert(table.begin(),
                     column("huge", [](int row) { return QString::number(row % 10) + ".5e300"; }));
    }
    project.write("t.csv", csv(table));
    QString file = "t.csv";
    if (source == "sqlite") {
        file = "t.db";
        writeDatabase(table, project.path(file));
    } else if (source == "tfrecord") {
        file = "t.tfrecord";
        verify(project.run({"convert", "t.csv", file}));
    }
    verify(project.run({"new", file, "--label", "goal", "--no-tries", "--estimator", estimator,
                        "--output", "e.cannery"}));
    const ProgramResult trained =
        project.run({"train", "e.cannery", "--json", "--set", "train_spec.max_steps=2"});
    verify(trained);
    const QJsonObject report = json(trained);
    QCOMPARE(report["train_rows"].toInt() + report["eval_rows"].toInt() +
                 report["skipped_rows"].toInt(),
             kRows);
    verify(project.run({"predict", "latest", "--input", file, "--output", "p.jsonl"}));
    const QList<QByteArray> lines = project.read("p.jsonl").trimmed().split('\n');
    QCOMPARE(lines.size(), kRows);
    const QStringList& cells = table.back().cells;
    const QSet<QString> known(cells.begin(), cells.end());
    for (const QByteArray& line : lines) {
        const QJsonArray classes = QJsonDocument::fromJson(line)["classes"].toArray();
        const QString one = QJsonDocument::fromJson(line)["classes"].toString(
            classes.isEmpty() ? QString() : classes[0].toString());
        const bool isSpelledOtherwise = source != "csv" || labels == "numbers";
        QVERIFY2(isSpelledOtherwise || one.isEmpty() || known.contains(one), line.constData());
    }
    verify(project.run({"export", "latest", "--output", "served"}));
}

void TstNewTrains::rowsWithoutALabelAreLeftOutAndCounted()
{
    const ProjectFixture project;
    project.write("t.csv", csv(tableOf("gaps", "plain")));
    const ProgramResult made = project.run({"new", "t.csv", "--label", "goal", "--no-tries"});
    verify(made);
    QVERIFY2(made.err.contains("17 of the 120 rows have no label in goal"), qPrintable(made.err));
    QVERIFY(project.read("t.cannery").contains("# 17 of the 120 rows have no label in goal"));
    const ProgramResult trained =
        project.run({"train", "t.cannery", "--set", "train_spec.max_steps=2"});
    verify(trained);
    QVERIFY2(trained.err.contains("17 rows left out"), qPrintable(trained.err));
    QVERIFY2(trained.err.contains("17 rows have no label and are left out"),
             qPrintable(trained.err));
}

void TstNewTrains::wholeNumbersOfAFewRowsAreNoClasses()
{
    const ProjectFixture project;
    QByteArray weights("waist,weight\n");
    QByteArray grades("waist,grade\n");
    for (int i = 0; i < 16; ++i) {
        const QByteArray waist = QByteArray::number(30 + i * 5 % 7);
        weights += waist + ',' + QByteArray::number(150 + i * 9 % 8) + ".0\n";
        grades += waist + ',' + QByteArray::number(1 + i % 4) + ".0\n";
    }
    project.write("weights.csv", weights);
    project.write("grades.csv", grades);
    const ProgramResult numbers =
        project.run({"new", "weights.csv", "--label", "weight", "--no-tries"});
    verify(numbers);
    QVERIFY2(numbers.err.contains("regression"), qPrintable(numbers.err));
    const ProgramResult classes =
        project.run({"new", "grades.csv", "--label", "grade", "--no-tries"});
    verify(classes);
    QVERIFY2(classes.err.contains("4 classes"), qPrintable(classes.err));
}

void TstNewTrains::aColumnWithoutANumberToTrainOnIsNormalizedToZero()
{
    const ProjectFixture project;
    project.write("t.csv", "x,c,n,y\n1,5,,0\n2,5,,1\n3,5,,0\n4,5,,1\n");
    project.write("e.cannery", R"(
data { train { csv { files: "t.csv" } } label { column: "y" }
  column { name: "n" dtype: float32 default_value: "7" } }
feature_column { name: "x" numeric_column { key: "x" normalizer { z_score {} } } }
feature_column { name: "c" numeric_column { key: "c" normalizer { z_score {} } } }
feature_column { name: "d" numeric_column { key: "c" normalizer { min_max {} } } }
feature_column { name: "n" numeric_column { key: "n" normalizer { z_score {} } } }
estimator { linear_classifier { feature_columns: ["x", "c", "n"] } }
train_spec { max_steps: 2 })");
    verify(project.run({"train", "e.cannery", "--quiet"}));
    const ProgramResult preview = project.run({"preview", "e.cannery", "--rows", "1"});
    verify(preview);
    QVERIFY2(preview.out.contains("\"c\":[0.0]") && preview.out.contains("\"n\":[0.0]"),
             qPrintable(preview.out));
    const ProgramResult checked = project.run({"check", "e.cannery"});
    verify(checked);
    QVERIFY2(checked.out.contains("Every number of 'c' in the training rows is 5"),
             qPrintable(checked.out));
    verify(project.run({"export", "latest", "--output", "served"}));
}

CANNERY_TEST(TstNewTrains)
#include "tst_new_trains.moc"
