// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace cannery::tests;

/// Tables that do not begin with a header, or hold more than rows: from `new` to `predict`.
class TstTableShapes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newTrainAndPredictReadTheSameRows_data();
    void newTrainAndPredictReadTheSameRows();
    void aLastRowThatAddsNothingUpIsARow();
    void subtotalsAreTold();
    void labelsWithASignAreClasses();
    void columnsAreReadAsWhatTheyAre_data();
    void columnsAreReadAsWhatTheyAre();
    void aRunKeepsThatThereIsNoHeader();
    void theHeaderIsSaidByOptions();
    void aHeaderWithoutRowsIsToldAsThat();
    void westernEncodingIsFoundAndStated();
    void numbersThatFloatMergesAreNotCalledEqual();
};

namespace {

/// 60 rows of x, kind and y = 2x, between texts.
QByteArray shapedRows(const char* format)
{
    QByteArray text;
    for (int i = 0; i < 60; ++i) {
        const double x = (i * 37 % 60) / 4.0 - 5;
        text += QString::asprintf(format, x, i % 3 == 0 ? "a" : "b", 2 * x + 1).toUtf8();
    }
    return text;
}

const QStringList kFewSteps{"--set", "train_spec.max_steps=20", "--quiet"};

} // namespace

void TstTableShapes::newTrainAndPredictReadTheSameRows_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("label");
    QTest::addColumn<QString>("said"); ///< by `new`
    QTest::newRow("runs of blanks")
        << "   x  kind       y\n" + shapedRows("%8.2f  %s %8.2f\n") << "y"
        << "";
    QTest::newRow("a preamble and notes")
        << "Data Source: us, them, others, more\n\nx,kind,y\n" + shapedRows("%.2f,%s,%.2f\n") +
               "\nTotal,60\nNotes: a, b, c, d\n"
        << "y"
        << "below the table";
    QTest::newRow("units") << "x,kind,y\n[m],,[kg]\n" + shapedRows("%.2f,%s,%.2f\n") << "y"
                           << "describes the columns";
    QTest::newRow("row names") << "\"x\",\"kind\",\"y\"\n" + shapedRows("\"r\",%.2f,\"%s\",%.2f\n")
                               << "y"
                               << "names of the rows";
    QTest::newRow("notes filled up with delimiters")
        << "x;kind;y\n" + shapedRows("%.2f;%s;%.2f\n") + "* estimated;;\nSource: us;;\n"
        << "y"
        << "2 lines from line 62 on, below the table, are not rows";
    QTest::newRow("carets") << "x^kind^y\n" + shapedRows("%.2f^%s^%.2f\n") << "y"
                            << "";
    QTest::newRow("a total") << "x,kind,y\n" + shapedRows("%.2f,%s,%.2f\n") + "Total,,345.00\n"
                             << "y"
                             << "the last row, Total, holds the sum of y";
    QTest::newRow("a total below an empty cell")
        << "k,x,kind,y\n" + shapedRows("n,%.2f,%s,%.2f\n") + ",142.50,,345.00\n"
        << "y"
        << "the last row holds the sum of x, y";
    QTest::newRow("a total in the second column")
        << "k,t,x,kind,y\n" + shapedRows("n,u,%.2f,%s,%.2f\n") + ",Total,142.50,,345.00\n"
        << "y"
        << "the last row, Total, holds the sum of x, y";
    QTest::newRow("single quotes")
        << "'x','kind','y'\n" + shapedRows("'%.2f','%s, or so','%.2f'\n") << "y"
        << "quote_char";
    QTest::newRow("escaped quotes")
        << "x,kind,y\n" + shapedRows("%.2f,\"\\\"%s\\\", he said\",%.2f\n") << "y"
        << "escape_char";
    QTest::newRow("formulas") << "x;kind;y\n" + shapedRows("=\"%.2f\";%s;=\"%.2f\"\n") << "y"
                              << "formula_quotes";
    QTest::newRow("blanks before quotes")
        << "\"x\", \"kind\", \"y\"\n" + shapedRows("\"%.2f\", \"%s, or so\", \"%.2f\"\n") << "y"
        << "skip_initial_space";
    QTest::newRow("a mean in quotes")
        << "x;kind;y\n" + shapedRows("\"%.2f\";\"%s\";\"%.2f\"\n") + "\"Mean\";\"\";\"5.75\"\n"
        << "y"
        << "the last row, Mean, holds the mean of y";
    QTest::newRow("years as names") << "2019,kind,2020\n" + shapedRows("%.2f,%s,%.2f\n") << "2020"
                                    << "";
}

void TstTableShapes::newTrainAndPredictReadTheSameRows()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, label);
    QFETCH(const QString, said);
    const ProjectFixture project;
    project.write("t.csv", text);
    const ProgramResult made = project.run(
        {"new", "t.csv", "--label", label, "--no-tries", "--json", "--output", "e.cannery"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QCOMPARE(json(made)["rows"].toInt(), 60);
    QVERIFY2(made.out.contains(said), qPrintable(made.out));
    QVERIFY2(project.read("e.cannery").contains(said.toUtf8()), "the experiment says so, too");
    const ProgramResult trained =
        project.run(QStringList{"train", "e.cannery", "--model-dir", "model"} + kFewSteps);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult predicted =
        project.run({"predict", "model", "--input", "t.csv", "--format", "jsonl"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QCOMPARE(predicted.out.count('\n'), 60);
}

void TstTableShapes::aLastRowThatAddsNothingUpIsARow()
{
    const ProjectFixture project;
    project.write("t.csv", "x,kind,y\n" + shapedRows("%.2f,%s,%.2f\n") + "Total,,346.00\n");
    const ProgramResult made =
        project.run({"new", "t.csv", "--label", "y", "--no-tries", "--json"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QCOMPARE(json(made)["rows"].toInt(), 61);
}

void TstTableShapes::subtotalsAreTold()
{
    const ProjectFixture project;
    QByteArray text = "region,item,y\n";
    for (int i = 0; i < 60; ++i) {
        text += QByteArray("north,") + (i % 2 == 0 ? "a," : "b,") + QByteArray::number(i % 10 + 1) +
                "\n";
        text += i % 10 == 9 ? "north total,,55\n" : "";
    }
    project.write("t.csv", text);
    const ProgramResult made = project.run({"new", "t.csv", "--label", "y", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QByteArray experiment = project.read("t.cannery");
    QVERIFY2(experiment.contains("6 rows, the first called north total, hold subtotals"),
             experiment.constData());
    project.write("t.csv", QByteArray(text).replace("total,,55", "total,,54"));
    QVERIFY(project.run({"new", "t.csv", "--label", "y", "--no-tries", "--output", "u.cannery"})
                .exitCode == 0);
    QVERIFY(!project.read("u.cannery").contains("subtotals"));
}

void TstTableShapes::labelsWithASignAreClasses()
{
    const ProjectFixture project;
    QByteArray text = "x,rate\n";
    for (int i = 0; i < 60; ++i) {
        text += QByteArray::number((i * 37 % 60) / 4.0) + (i * 37 % 60 < 30 ? ",5%\n" : ",10%\n");
    }
    project.write("t.csv", text);
    const ProgramResult made = project.run({"new", "t.csv", "--label", "rate", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QVERIFY(project.read("t.cannery").contains("label_vocabulary: [\"10%\", \"5%\"]"));
    const ProgramResult trained =
        project.run(QStringList{"train", "t.cannery", "--model-dir", "model"} + kFewSteps);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    // The folder that exports are written to stands for the latest of them.
    const ProgramResult exported = project.run({"export", "model", "--output", "exports"});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    const ProgramResult shown = project.run({"inspect", "exports"});
    QVERIFY2(shown.exitCode == 0 && shown.out.contains("SavedModel"), qPrintable(shown.err));
}

void TstTableShapes::columnsAreReadAsWhatTheyAre_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QStringList>("cells");
    QTest::addColumn<QString>("expected"); ///< in the experiment
    QStringList codes;
    QStringList clocks;
    QStringList seconds;
    QStringList milliseconds;
    QStringList days;
    QStringList holes;
    QStringList gaps;
    const QStringList missing{"-",    "--",   "N/A",  "null",    "None",    ".",      "..",
                              "#N/A", "n.a.", "k.A.", "missing", "unknown", "#DIV/0!"};
    for (int i = 0; i < 120; ++i) {
        codes.append(QString("0%1").arg(1000 + i % 30));
        clocks.append(
            QString("%1%2").arg(i % 24, 2, 10, QChar('0')).arg(i % 60, 2, 10, QChar('0')));
        seconds.append(QString::number(1'600'000'000 + i * 40'000));
        milliseconds.append(seconds.back() + "000");
        days.append(QString::number(44'000 + i * 3));
        gaps.append(i % 5 == 0 ? QString("N/A")
                               : QString("%1/%2/2020").arg(i % 28 + 1).arg(i % 12 + 1));
        holes.append(i % 5 == 0 ? missing[i / 5 % missing.size()] : QString::number(i % 17));
    }
    const QString number = "numeric_column { key: \"%1\"";
    QTest::newRow("codes") << "zip" << codes << "column { name: \"zip\" dtype: string }";
    QTest::newRow("times of the day") << "leaves" << clocks << number.arg("leaves");
    QTest::newRow("seconds") << "created_at" << seconds << "date_notation: unix_seconds";
    QTest::newRow("seconds of another name") << "size" << seconds << number.arg("size");
    QTest::newRow("milliseconds") << "timestamp" << milliseconds
                                  << "date_notation: unix_milliseconds";
    QTest::newRow("days of a spreadsheet") << "date" << days << "date_notation: excel_days";
    QTest::newRow("dates with gaps")
        << "day" << gaps << "missing_token: \"N/A\" date_notation: day_first";
    QTest::newRow("every word for a missing number") << "x" << holes << number.arg("x");
}

void TstTableShapes::columnsAreReadAsWhatTheyAre()
{
    QFETCH(const QString, name);
    QFETCH(const QStringList, cells);
    QFETCH(const QString, expected);
    const ProjectFixture project;
    QString text = name + ",y\n";
    for (int i = 0; i < cells.size(); ++i) {
        text += cells[i] + (i * 7 % 5 < 2 ? ",yes\n" : ",no\n");
    }
    project.write("t.csv", text.toUtf8());
    const ProgramResult made =
        project.run({"new", "t.csv", "--label", "y", "--no-tries", "--output", "e.cannery"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QByteArray experiment = project.read("e.cannery");
    QVERIFY2(experiment.contains(expected.toUtf8()), experiment.constData());
    const ProgramResult trained =
        project.run(QStringList{"train", "e.cannery", "--model-dir", "model"} + kFewSteps);
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

void TstTableShapes::aRunKeepsThatThereIsNoHeader()
{
    const ProjectFixture project;
    QByteArray text;
    for (int i = 0; i < 60; ++i) {
        text += QByteArray(i % 2 == 0 ? "p,flat," : "e,bell,") + "xyz"[i % 3] + "\n";
    }
    project.write("t.data", text);
    project.write("e.cannery", R"(data { train { csv { files: "t.data" } } label { column: "c0" } }
feature_column { name: "c1" categorical_column_with_vocabulary_list { key: "c1" vocabulary_list: ["flat", "bell"] } }
estimator { linear_classifier { feature_columns: ["c1"] label_vocabulary: ["e", "p"] } }
train_spec { max_steps: 5 input { batch_size: 4 } })");
    const ProgramResult trained =
        project.run({"train", "e.cannery", "--model-dir", "model", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    // Alone, the line looks like a header.
    project.write("one.data", "p,flat,x\n");
    const ProgramResult predicted =
        project.run({"predict", "model", "--input", "one.data", "--format", "jsonl"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QCOMPARE(predicted.out.count('\n'), 1);
}

void TstTableShapes::theHeaderIsSaidByOptions()
{
    const ProjectFixture project;
    project.write("t.csv", "made by me\na,b\nc,d\ne,f\n");
    const auto rowsOf = [&](const QStringList& options) {
        return json(project.run(QStringList{"browse", "t.csv", "--json"} + options))["total"]
            .toInt();
    };
    QCOMPARE(rowsOf({}), 2);
    QCOMPARE(rowsOf({"--header", "no"}), 3);
    QCOMPARE(rowsOf({"--header", "yes", "--skip-rows", "2"}), 1);
    QCOMPARE(project.run({"convert", "t.csv", "out.csv", "--header", "no"}).exitCode, 0);
    QCOMPARE(project.read("out.csv"), QByteArray("c0,c1\na,b\nc,d\ne,f\n"));
    QCOMPARE(project.run({"browse", "t.csv", "--skip-rows", "-1"}).exitCode, 2);
    const ProgramResult all = project.run({"browse", "t.csv", "--skip-rows", "9"});
    QCOMPARE(all.exitCode, 3);
    QVERIFY2(all.err.contains("nothing is left"), qPrintable(all.err));
    QCOMPARE(project.run({"convert", "t.csv", "copy.tfrecord"}).exitCode, 0);
    QCOMPARE(project.run({"browse", "copy.tfrecord", "--header", "no"}).exitCode, 2);
}

void TstTableShapes::aHeaderWithoutRowsIsToldAsThat()
{
    const ProjectFixture project;
    project.write("t.csv", "wide;kind;tall\n");
    const ProgramResult made = project.run({"new", "t.csv", "--label", "tal"});
    QCOMPARE(made.exitCode, 3);
    QVERIFY2(made.err.contains("has a header but no rows"), qPrintable(made.err));
}

void TstTableShapes::westernEncodingIsFoundAndStated()
{
    const ProjectFixture project;
    project.write("t.csv", QByteArray("gr\xF6\xDF"
                                      "e;y\n") +
                               shapedRows("%.2f;%.0s%.2f\n"));
    const ProgramResult made =
        project.run({"new", "t.csv", "--label", "y", "--no-tries", "--output", "e.cannery"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QVERIFY2(made.err.contains("encoding: windows1252"), qPrintable(made.err));
    QVERIFY(project.read("e.cannery").contains("encoding: windows1252"));
    QVERIFY(project.read("e.cannery").contains("größe"));
    QByteArray wide; // UTF-16 without a byte order mark, as databases write it
    for (const char letter : "x;kind;y\n" + shapedRows("%.2f;%s;%.2f\n")) {
        wide.append(letter).append('\0');
    }
    project.write("wide.csv", wide);
    const ProgramResult found = project.run({"new", "wide.csv", "--label", "y", "--no-tries"});
    QVERIFY2(found.exitCode == 0, qPrintable(found.err));
    QVERIFY(project.read("wide.cannery").contains("encoding: utf16"));
}

void TstTableShapes::numbersThatFloatMergesAreNotCalledEqual()
{
    const ProjectFixture project;
    QByteArray text = "time,load\n";
    for (int i = 0; i < 60; ++i) {
        text += QString::asprintf("%.2f,%d\n", 1546300800 + i * 0.5, i * 7 % 60).toUtf8();
    }
    project.write("t.csv", text);
    const ProgramResult made = project.run({"new", "t.csv", "--label", "load", "--no-tries"});
    QVERIFY2(made.exitCode == 0 || made.err.contains("too close together for float32"),
             qPrintable(made.err));
    QVERIFY2(!made.err.contains("the same"), qPrintable(made.err));
}

CANNERY_TEST(TstTableShapes)
#include "tst_table_shapes.moc"
