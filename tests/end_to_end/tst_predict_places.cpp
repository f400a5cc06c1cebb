// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// Every row to predict keeps its place, and no file is lost to predictions.
class TstPredictPlaces : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aRowThatCannotBePredictedKeepsItsPlace_data();
    void aRowThatCannotBePredictedKeepsItsPlace();
    void reasonsNameNoCureOfAnExperiment();
    void keysAreThereWithoutAPrediction();
    void aLineOfOneEmptyCellIsNoBlankLine();
    void withoutAnyPredictionTheOutputHasTheRowsNevertheless();
    void jsonIsReadInEveryForm_data();
    void jsonIsReadInEveryForm();
    void otherJsonIsRefusedAsWhatItIs_data();
    void otherJsonIsRefusedAsWhatItIs();
    void absentColumnsAreEmptyCells();
    void predictionsAreWrittenAsTheInputIs_data();
    void predictionsAreWrittenAsTheInputIs();
    void aSpreadsheetsTableIsAnsweredInItsOwnForm();
    void noFileIsLost_data();
    void noFileIsLost();
    void anOutputAppearsCompleteOrNotAtAll();

private:
    ProgramResult predict(const QByteArray& rows, const QStringList& more = {}) const;
    QStringList lines(const QByteArray& rows, const QStringList& more = {}) const;

    ProjectFixture m_project;
};

void TstPredictPlaces::initTestCase()
{
    m_project.write("fixture.cannery",
                    m_project.experiment("label { column: \"label\" }",
                                         "label { column: \"label\" } bad_rows: SKIP "
                                         "key_column: \"id\""));
    const ProgramResult trained =
        m_project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

ProgramResult TstPredictPlaces::predict(const QByteArray& rows, const QStringList& more) const
{
    m_project.write("rows.csv", rows);
    return m_project.run(
        QStringList{"predict", "fixture.cannery", "--model-dir", "m", "--input", "rows.csv"} +
        more);
}

QStringList TstPredictPlaces::lines(const QByteArray& rows, const QStringList& more) const
{
    const ProgramResult result = predict(rows, more);
    return result.exitCode == 0 ? result.out.trimmed().split('\n') : QStringList{result.err};
}

void TstPredictPlaces::aRowThatCannotBePredictedKeepsItsPlace_data()
{
    QTest::addColumn<QByteArray>("bad");
    QTest::addColumn<QString>("reason");
    QTest::newRow("a word for a number") << QByteArray("3,abc,1,red") << "rows.csv:4: \"abc\"";
    QTest::newRow("too few cells") << QByteArray("3,1") << "rows.csv:4: 2 fields instead of 4";
    QTest::newRow("no number") << QByteArray("3,,1,red") << "rows.csv:4: 'x' is missing.";
}

void TstPredictPlaces::aRowThatCannotBePredictedKeepsItsPlace()
{
    QFETCH(QByteArray, bad);
    QFETCH(QString, reason);
    const QByteArray head = "id,x,y,colour\n1,0.5,1,red\n2,0.25,2,blue\n";
    const QByteArray tail = "4,0.5,1,red\n5,-1,2,green\n";
    const QStringList good = lines(head + tail);
    const QStringList found = lines(head + bad + "\n" + tail);
    QCOMPARE(found.size(), 6);
    for (const auto& [here, there] : {std::pair(1, 1), {2, 2}, {4, 3}, {5, 4}}) {
        QCOMPARE(found[here], good[there]);
    }
    QVERIFY2(found[3].endsWith(",,,,,,") && found[3].count(',') == good[1].count(','),
             qPrintable(found[3]));
    const ProgramResult told = predict(head + bad + "\n" + tail);
    QVERIFY2(told.err.contains("no prediction: " + reason), qPrintable(told.err));
    QVERIFY2(told.err.contains("4 of 5 rows predicted"), qPrintable(told.err));
    const QStringList json = lines(head + bad + "\n" + tail, {"--format", "jsonl"});
    QCOMPARE(json.size(), 5);
    QVERIFY2(json[2].contains("\"error\":{\"id\":\""), qPrintable(json[2]));
}

void TstPredictPlaces::reasonsNameNoCureOfAnExperiment()
{
    const ProgramResult told = predict("id,x,y,colour\n1,abc,1,red\n2,,2,red\n3,4\n4,1,1,red\n");
    QCOMPARE(told.exitCode, 0);
    for (const char* cure : {"bad_rows", "missing_token", "dtype", "default_value"}) {
        QVERIFY2(!told.err.contains(cure), qPrintable(told.err));
    }
}

void TstPredictPlaces::keysAreThereWithoutAPrediction()
{
    const QStringList found = lines("id,x,y,colour\n71,,1,red\n72,1,1,red\n");
    QVERIFY2(found[1].startsWith("71,,"), qPrintable(found[1]));
    const QStringList json = lines("id,x,y,colour\n71,,1,red\n72,1,1,red\n", {"--format", "jsonl"});
    QVERIFY2(json[0].startsWith("{\"id\":\"71\",\"error\":"), qPrintable(json[0]));
    // Of rows that cannot be read, as far as they have it.
    for (const char* row : {"71,no,1,red", "71,1", "71,1,1,red,5"}) {
        const QStringList bad = lines("id,x,y,colour\n" + QByteArray(row) + "\n72,1,1,red\n");
        QVERIFY2(bad[1].startsWith("71,,"), qPrintable(bad[1]));
        QVERIFY2(bad[2].startsWith("72,"), qPrintable(bad[2]));
    }
    QVERIFY(lines("x,y,colour,id\n1,1\n1,1,red,72\n")[1].startsWith(",,"));
}

void TstPredictPlaces::aLineOfOneEmptyCellIsNoBlankLine()
{
    const ProjectFixture project;
    project.write(
        "fixture.cannery",
        QByteArray(project.read("fixture.cannery")).replace("dnn_classifier", "dnn_regressor"));
    const ProgramResult trained =
        project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult result = project.run({"predict", "fixture.cannery", "--model-dir", "m"},
                                             "x,y,colour\n1,1,red\nabc,1,red\n2,1,red\n");
    const QStringList found = result.out.trimmed().split('\n');
    QCOMPARE(found.size(), 4);
    QCOMPARE(found[2], QString("\"\""));
}

void TstPredictPlaces::withoutAnyPredictionTheOutputHasTheRowsNevertheless()
{
    const ProgramResult result =
        predict("id,x,y,colour\n1,abc,1,red\n2,,1,red\n", {"--output", "none.csv", "--force"});
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.err.contains("None of the 2 rows"), qPrintable(result.err));
    const QStringList found = QString::fromUtf8(m_project.read("none.csv")).trimmed().split('\n');
    QCOMPARE(found.size(), 3);
    QVERIFY(found[0].startsWith("id,logits,"));
}

void TstPredictPlaces::jsonIsReadInEveryForm_data()
{
    QTest::addColumn<QByteArray>("text");
    const QByteArray a = R"({"id": 1, "x": 0.5, "y": 1, "colour": "red"})";
    const QByteArray b = R"({"id": 2, "x": 0.25, "y": 2, "colour": "b[l],u}e"})";
    QTest::newRow("lines") << QByteArray(a + "\n" + b + "\n");
    QTest::newRow("array") << QByteArray("[" + a + "," + b + "]");
    QTest::newRow("array over lines") << QByteArray("\n[\n  " + a + ",\n  " + b + "\n]\n");
    QTest::newRow("spread") << QByteArray("[\n" + QByteArray(a).replace(", ", ",\n") + ",\n" +
                                          QByteArray(b).replace(", ", ",\n") + "\n]");
    QTest::newRow("instances") << QByteArray("{\"signature_name\": \"predict\", \"instances\": [" +
                                             a + ", " + b + "]}");
    QTest::newRow("instances over lines")
        << QByteArray("{\n\"instances\": [\n" + a + ",\n" + b + "\n]\n}\n");
}

void TstPredictPlaces::jsonIsReadInEveryForm()
{
    QFETCH(QByteArray, text);
    const QStringList expected = lines("id,x,y,colour\n1,0.5,1,red\n2,0.25,2,\"b[l],u}e\"\n");
    QCOMPARE(expected.size(), 3);
    m_project.write("rows.json", text);
    const QStringList predict{"predict", "fixture.cannery", "--model-dir", "m"};
    for (const char* input : {"rows.json", "-"}) {
        const ProgramResult result = m_project.run(predict + QStringList{"--input", input}, text);
        QVERIFY2(result.exitCode == 0, qPrintable(result.err));
        QCOMPARE(result.out.trimmed().split('\n'), expected);
    }
}

void TstPredictPlaces::otherJsonIsRefusedAsWhatItIs_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::newRow("array of arrays") << QByteArray("[[1, 2], [3, 4]]");
    QTest::newRow("open array") << QByteArray("[{\"x\": 1},");
    QTest::newRow("no object") << QByteArray("{x: 1}");
}

void TstPredictPlaces::otherJsonIsRefusedAsWhatItIs()
{
    QFETCH(QByteArray, text);
    m_project.write("odd.json", text);
    const ProgramResult result =
        m_project.run({"predict", "fixture.cannery", "--model-dir", "m", "--input", "odd.json"});
    QCOMPARE(result.exitCode, 3);
    QVERIFY2(result.err.contains("JSON") && result.err.contains("odd.json"),
             qPrintable(result.err));
}

void TstPredictPlaces::absentColumnsAreEmptyCells()
{
    const ProgramResult without = predict("x,y\n0.5,1\n");
    QVERIFY2(without.exitCode == 0, qPrintable(without.err));
    QVERIFY2(without.err.contains("has no column colour, id"), qPrintable(without.err));
    QCOMPARE(without.out, predict("id,x,y,colour\n,0.5,1,\n").out);
    const ProgramResult none = predict("a,b\n0.5,1\n");
    QCOMPARE(none.exitCode, 3);
    QVERIFY2(none.err.contains("has none of the columns"), qPrintable(none.err));
}

void TstPredictPlaces::predictionsAreWrittenAsTheInputIs_data()
{
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<QByteArray>("begin");
    QTest::addColumn<QByteArray>("end");
    QTest::newRow("semicolons and returns")
        << QByteArray("id;x;y;colour\r\n7;1;1;red\r\n8;2;1;red\r\n") << QByteArray("id;logits")
        << QByteArray("\r\n");
    QTest::newRow("a byte order mark") << QByteArray("\xEF\xBB\xBFid,x,y,colour\n7,1,1,red\n")
                                       << QByteArray("\xEF\xBB\xBFid,logits") << QByteArray("\n");
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFEi\0d\0\t\0x\0\t\0y\0\n\0"
                                          "7\0\t\0"
                                          "1\0\t\0"
                                          "1\0\n\0",
                                          28)
                            << QByteArray("\xFF\xFEi\0d\0\t\0l\0", 10) << QByteArray("\n\0", 2);
    QTest::newRow("blanks") << QByteArray("id  x    y colour\n7   1    1 red\n8   \"\"  1 red\n")
                            << QByteArray("id logits")
                            << QByteArray("8 \"\" \"\" \"\" \"\" \"\" \"\"\n");
    QTest::newRow("JSON lines") << QByteArray("{\"id\":7,\"x\":1,\"y\":1,\"colour\":\"red\"}\n")
                                << QByteArray("{\"id\":\"7\",\"logits\":") << QByteArray("}\n");
}

void TstPredictPlaces::predictionsAreWrittenAsTheInputIs()
{
    QFETCH(const QByteArray, rows);
    QFETCH(const QByteArray, begin);
    QFETCH(const QByteArray, end);
    const ProgramResult done = predict(rows, {"--like-input", "--output", "like.csv", "--force"});
    QVERIFY2(done.exitCode == 0, qPrintable(done.err));
    const QByteArray written = m_project.read("like.csv");
    QVERIFY2(written.startsWith(begin), written.constData());
    QVERIFY2(written.endsWith(end), written.constData());
    QCOMPARE(predict(rows, {"--like-input", "--format", "csv"}).exitCode, 2);
    QCOMPARE(predict(rows, {"--data", "rows.csv"}).exitCode, 2);
}

void TstPredictPlaces::aSpreadsheetsTableIsAnsweredInItsOwnForm()
{
    const ProjectFixture project;
    QByteArray rows = "x;y\n";
    for (int i = 0; i < 40; ++i) {
        rows += QByteArray::number(i / 4.0).replace('.', ',') + (i % 2 == 0 ? ";gr\xF6\xDF"
                                                                              "er\n"
                                                                            : ";\x80\n");
    }
    project.write("t.csv", rows);
    QCOMPARE(project.run({"new", "t.csv", "--label", "y", "--no-tries"}).exitCode, 0);
    QCOMPARE(project
                 .run({"train", "t.cannery", "--model-dir", "m", "--quiet", "--set",
                       "train_spec.max_steps=5"})
                 .exitCode,
             0);
    const QStringList predict{"predict",      "m",        "--input", "t.csv",
                              "--like-input", "--output", "p.csv"};
    QCOMPARE(project.run(predict).exitCode, 0);
    const QByteArray first = project.read("p.csv").split('\n')[1];
    QVERIFY2(first.endsWith(";gr\xF6\xDF"
                            "er") ||
                 first.endsWith(";\x80"),
             first.constData());
    QVERIFY2(first.split(';')[0].contains(','), first.constData());
}

void TstPredictPlaces::noFileIsLost_data()
{
    QTest::addColumn<QString>("target");
    QTest::addColumn<bool>("mayBeForced");
    QTest::newRow("the input") << "rows.csv" << false;
    QTest::newRow("the input by another name") << "./rows.csv" << false;
    QTest::newRow("an experiment") << "fixture.cannery" << false;
    QTest::newRow("a table") << "table.csv" << true;
    QTest::newRow("a link to the input") << "link.csv" << false;
}

void TstPredictPlaces::noFileIsLost()
{
    QFETCH(QString, target);
    QFETCH(bool, mayBeForced);
    const QByteArray rows = "id,x,y,colour\n1,0.5,1,red\n";
    m_project.write("rows.csv", rows);
    QFile::link("rows.csv", m_project.path("link.csv"));
    const QByteArray before = m_project.read(target);
    QVERIFY(predict(rows, {"--output", target}).exitCode != 0);
    QCOMPARE(m_project.read(target), before);
    QCOMPARE(predict(rows, {"--output", target, "--force"}).exitCode == 0, mayBeForced);
    QCOMPARE(m_project.read(target) == before, !mayBeForced);
    m_project.write(target, before);
}

void TstPredictPlaces::anOutputAppearsCompleteOrNotAtAll()
{
    m_project.write("old.csv", "");
    const ProgramResult refused = predict("a,b\n1,2\n", {"--output", "old.csv"});
    QCOMPARE(refused.exitCode, 3);
    QCOMPARE(m_project.read("old.csv"), QByteArray());
    QVERIFY(predict("id,x,y,colour\n1,0.5,1,red\n", {"--output", "/dev/null"}).exitCode == 0);
}

CANNERY_TEST(TstPredictPlaces)
#include "tst_predict_places.moc"
