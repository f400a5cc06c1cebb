// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonObject>
#include <QSet>
#include <QTest>

using namespace cannery::tests;

/// `preview --components`, `inspect --embeddings`, `--components` and `--projector`.
class TstComponents : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void numericColumnsAreCompared();
    void peopleReadTheSameNumbers();
    void anOverrideTakesAColumnOut();
    void embeddingsAreListed();
    void aTableIsShownWithItsWords();
    void theProjectorGetsTheTable();
    void failuresAreToldWithTheirIds_data();
    void failuresAreToldWithTheirIds();
    void theHelpNamesTheOptions();

private:
    ProjectFixture m_project; ///< with a run
};

void TstComponents::initTestCase()
{
    const ProgramResult trained = m_project.run({"train", "fixture.cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

void TstComponents::numericColumnsAreCompared()
{
    const QJsonObject found =
        json(m_project.run({"preview", "fixture.cannery", "--components", "--json"}));
    QCOMPARE(found.keys(), (QStringList{"beyond", "columns", "components", "constant", "groups",
                                        "label", "others", "points", "rows", "used_rows"}));
    QCOMPARE(found["rows"].toInt(), 200);
    QCOMPARE(found["used_rows"].toInt(), 200);
    QCOMPARE(found["label"].toString(), "label");
    const QJsonArray columns = found["columns"].toArray();
    QCOMPARE(columns.size(), 2);
    QCOMPARE(columns[0].toObject().keys(),
             (QStringList{"loadings", "mean", "missing", "name", "sd"}));
    QCOMPARE(columns[0].toObject()["name"].toString(), "x");
    double shares = 0;
    for (const QJsonValue& component : found["components"].toArray()) {
        shares += component.toObject()["share"].toDouble();
    }
    QVERIFY2(qAbs(shares - 1) < 1e-9, qPrintable(QString::number(shares)));
    // An id numbers the rows, and a colour is not a number: each says so.
    QHash<QString, QString> why;
    for (const QJsonValue& other : found["others"].toArray()) {
        why.insert(other.toObject()["name"].toString(), other.toObject()["why"].toString());
    }
    QCOMPARE(why.size(), 2);
    QVERIFY2(why["id"].startsWith("identifier: "), qPrintable(why["id"]));
    QVERIFY2(why["colour"].startsWith("category: "), qPrintable(why["colour"]));
    const QJsonArray points = found["points"].toArray();
    QCOMPARE(points.size(), 200);
    QSet<int> groups;
    for (const QJsonValue& point : points) {
        QCOMPARE(point.toObject()["at"].toArray().size(), 2);
        groups.insert(point.toObject()["group"].toInt());
    }
    QCOMPARE(groups, (QSet<int>{0, 1}));
    QCOMPARE(found["groups"].toArray().size(), 2);
}

void TstComponents::peopleReadTheSameNumbers()
{
    const ProgramResult shown = m_project.run({"preview", "fixture.cannery", "--components"});
    QCOMPARE(shown.exitCode, 0);
    QVERIFY2(shown.out.startsWith("2 numeric columns of 200 rows:\n"), qPrintable(shown.out));
    QVERIFY2(shown.out.contains("correlation of"), qPrintable(shown.out));
    QVERIFY2(shown.out.contains("100.0 %"), qPrintable(shown.out));
}

void TstComponents::anOverrideTakesAColumnOut()
{
    const QJsonObject found =
        json(m_project.run({"preview", "fixture.cannery", "--components", "--json", "--set",
                            "data.column={ name: 'y' dtype: string }"}));
    QCOMPARE(found["columns"].toArray().size(), 1);
    QCOMPARE(found["components"].toArray().size(), 1);
    QCOMPARE(found["others"].toArray().size(), 3);
}

void TstComponents::embeddingsAreListed()
{
    const QJsonObject found =
        json(m_project.run({"inspect", "runs/run-001", "--embeddings", "--json"}));
    QCOMPARE(found["kind"].toString(), "embeddings");
    QVERIFY(found["path"].toString().endsWith("model.ckpt-60"));
    QCOMPARE(found["tables"].toArray().size(), 1);
    const QJsonObject table = found["tables"].toArray()[0].toObject();
    QVERIFY(table["variable"].toString().endsWith("colour_embedding/embedding_weights"));
    QCOMPARE(table["column"].toString(), "colour_embedding");
    QCOMPARE(table["rows"].toInt(), 3);
    QCOMPARE(table["dimension"].toInt(), 2);
    const ProgramResult shown = m_project.run({"inspect", "runs/run-001", "--embeddings"});
    QVERIFY2(shown.out.contains("colour_embedding"), qPrintable(shown.out));
}

void TstComponents::aTableIsShownWithItsWords()
{
    const QJsonObject found = json(
        m_project.run({"inspect", "runs/run-001", "--components", "colour_embedding", "--json"}));
    QCOMPARE(found["kind"].toString(), "components");
    QCOMPARE(found["problem"].toString(), QString());
    const QJsonArray points = found["points"].toArray();
    QCOMPARE(points.size(), 3);
    QCOMPARE(points[1].toObject()["id"].toInt(), 1);
    QCOMPARE(points[1].toObject()["text"].toString(), "green");
    QCOMPARE(points[1].toObject()["at"].toArray().size(), 2);
    const ProgramResult shown =
        m_project.run({"inspect", "runs/run-001", "--components", "colour_embedding"});
    QVERIFY2(shown.out.contains("component 1 (") && shown.out.contains("blue"),
             qPrintable(shown.out));
}

void TstComponents::theProjectorGetsTheTable()
{
    const QStringList words{"inspect",          "runs/run-001", "--components",
                            "colour_embedding", "--projector",  "projector"};
    const ProgramResult written = m_project.run(words);
    QVERIFY2(written.exitCode == 0, qPrintable(written.err));
    QCOMPARE(m_project.read("projector/metadata.tsv"), QByteArray("red\ngreen\nblue\n"));
    QCOMPARE(m_project.read("projector/tensor.tsv").count('\n'), 3);
    QVERIFY(m_project.read("projector/projector_config.pbtxt").contains("tensor.tsv"));
    const ProgramResult again = m_project.run(words);
    QVERIFY(again.exitCode != 0);
    QVERIFY2(again.err.contains("is there already"), qPrintable(again.err));
}

void TstComponents::failuresAreToldWithTheirIds_data()
{
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("id");
    const QString texts = "data.column=[{ name: 'x' dtype: string }, { name: 'y' dtype: string }]";
    const QStringList components{"preview", "fixture.cannery", "--components"};
    QTest::newRow("no numbers") << components + QStringList{"--set", texts}
                                << "data.no_numbers_to_compare";
    QTest::newRow("an override of nothing")
        << components + QStringList{"--set", "data.column[y].dtype=string"}
        << "spec.path_no_element";
    QTest::newRow("no experiment")
        << QStringList{"preview", "nothing.cannery", "--components"} << "spec.file_missing";
    QTest::newRow("no table of rows")
        << components + QStringList{"--set", "data.train.csv.files=nothing.csv"}
        << "csv.no_such_files";
    QTest::newRow("no run") << QStringList{"inspect", "runs/run-009", "--embeddings"}
                            << "inspect.no_checkpoint";
    QTest::newRow("unknown embedding")
        << QStringList{"inspect", "runs/run-001", "--components", "city"} << "inspect.no_embedding";
    QTest::newRow("projector of nothing")
        << QStringList{"inspect", "runs/run-001", "--projector", "out"} << "command.usage.no_table";
}

void TstComponents::failuresAreToldWithTheirIds()
{
    QFETCH(QStringList, words);
    QFETCH(QString, id);
    const ProgramResult result = m_project.run(words + QStringList{"--json"});
    QVERIFY(result.exitCode > 0 && result.exitCode <= 5);
    const QJsonObject failure = json(result)["error"].toObject();
    QCOMPARE(failure["id"].toString(), id);
    QVERIFY(!failure["sentence"].toString().isEmpty());
    QVERIFY2(result.err.contains("error: "), qPrintable(result.err));
    QVERIFY(!m_project.exists("out"));
}

void TstComponents::theHelpNamesTheOptions()
{
    QVERIFY(m_project.run({"help", "preview"}).out.contains("--components"));
    const QString inspect = m_project.run({"help", "inspect"}).out;
    for (const char* option : {"--embeddings", "--components TABLE", "--projector FOLDER"}) {
        QVERIFY2(inspect.contains(option), option);
    }
}

CANNERY_TEST(TstComponents)
#include "tst_components.moc"
