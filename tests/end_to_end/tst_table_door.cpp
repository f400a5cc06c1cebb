// SPDX-License-Identifier: Apache-2.0
#include "storage/sqlite/database.h"
#include "storage/tf/events/event_writer.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace cannery::tests;

namespace {

QByteArray rowsOf(const char* begin, const char* between, const char* end)
{
    QByteArray text;
    for (int i = 0; i < 60; ++i) {
        text += begin + QByteArray::number(i * 7 % 23) + between + QByteArray::number(i % 2) + end;
    }
    return text;
}

void writeDatabase(const ProjectFixture& project, const QString& name, const std::string& sql)
{
    using namespace cannery::storage;
    auto database = Database::open(project.path(name).toStdString(), DatabaseMode::ReadWriteCreate);
    if (!database || !database->execute("PRAGMA journal_mode = DELETE; " + sql)) {
        qFatal("the test's database is not written");
    }
}

const std::string kOrders =
    "CREATE TABLE orders (items INTEGER, total REAL); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL "
    "SELECT i + 1 FROM n WHERE i < 60) INSERT INTO orders SELECT i % 9, i % 9 * 2.5 FROM n; ";
const std::string kTowns = "CREATE TABLE towns (name TEXT); INSERT INTO towns VALUES ('Ulm'); ";

qsizetype linesOf(const ProgramResult& result)
{
    return (result.out + result.err).trimmed().count('\n') + 1;
}

} // namespace

/// Files as people hand them to a command for the first time.
class TstTableDoor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void newStatesTheOnlyTableOfADatabase();
    void ofSeveralTablesOneIsChosen();
    void aChoiceIsOnlyForDatabases();
    void theOldFormOfFirstRowsIsNamed();
    void textFormatsTrainAndPredict_data();
    void textFormatsTrainAndPredict();
    void aTableInsteadOfAnExperimentIsNamed_data();
    void aTableInsteadOfAnExperimentIsNamed();
    void errorsOfTheSyntaxAreFew();
    void remarksAreMadeOnATable();
    void inspectShowsTablesAndDatabases();
    void inspectShowsEveryEventFileOfAFolder();
    void inspectGoesOnBehindDamage();
};

void TstTableDoor::newStatesTheOnlyTableOfADatabase()
{
    const ProjectFixture project;
    writeDatabase(project, "shop.db", kOrders);
    const ProgramResult made = project.run({"new", "shop.db", "--label", "total", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QVERIFY(project.read("shop.cannery").contains("table: \"orders\""));
    const ProgramResult trained =
        project.run({"train", "shop.cannery", "--set", "train_spec.max_steps=3", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

void TstTableDoor::ofSeveralTablesOneIsChosen()
{
    const ProjectFixture project;
    writeDatabase(project, "shop.db",
                  kOrders + kTowns +
                      "CREATE VIEW few AS SELECT * FROM orders "
                      "WHERE items > 5");
    for (const QStringList& words :
         {QStringList{"new", "shop.db", "--label", "total", "--no-tries"},
          QStringList{"browse", "shop.db"}, QStringList{"preview", "shop.db"},
          QStringList{"convert", "shop.db", "out.csv"}}) {
        const ProgramResult open = project.run(words);
        QVERIFY(open.exitCode != 0);
        for (const char* named : {"orders", "towns", "few", "--table", "--query"}) {
            QVERIFY2(open.err.contains(named), qPrintable(open.err));
        }
        const ProgramResult chosen = project.run(words + QStringList{"--table", "few"});
        QVERIFY2(chosen.exitCode == 0, qPrintable(chosen.err));
    }
    QVERIFY(project.read("shop.cannery").contains("table: \"few\""));
    const ProgramResult asked =
        project.run({"browse", "shop.db", "--query", "SELECT total FROM orders LIMIT 2", "--json"});
    QCOMPARE(json(asked)["total"].toInt(), 2);
    // Only one table has this column.
    const ProgramResult found = project.run(
        {"new", "shop.db", "--label", "name", "--dry-run", "--output", "towns.cannery"});
    QVERIFY2(!found.err.contains("--table"), qPrintable(found.err));
}

void TstTableDoor::aChoiceIsOnlyForDatabases()
{
    const ProjectFixture project;
    for (const QStringList& words :
         {QStringList{"browse", "table.csv", "--table", "t"},
          QStringList{"new", "table.csv", "--label", "label", "--query", "SELECT 1"},
          QStringList{"preview", "table.csv", "--table", "t"},
          QStringList{"browse", "table.csv", "--table", "t", "--query", "SELECT 1"}}) {
        QCOMPARE(project.run(words).exitCode, 2);
    }
}

void TstTableDoor::theOldFormOfFirstRowsIsNamed()
{
    const ProjectFixture project;
    const ProgramResult old = project.run({"preview", "table.csv", "--table"});
    QCOMPARE(old.exitCode, 2);
    QVERIFY2(old.err.contains("--first-rows"), qPrintable(old.err));
}

void TstTableDoor::textFormatsTrainAndPredict_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("label");
    QTest::newRow("JSON lines") << "t.jsonl" << rowsOf("{\"x\": ", ", \"y\": ", "}\n") << "y";
    QTest::newRow("a JSON array") << "t.json"
                                  << "[" + rowsOf("{\"x\": ", ", \"y\": ", "},\n") + "]"
                                  << "y";
    QTest::newRow("ARFF") << "t.arff"
                          << "@relation t\n@attribute x numeric\n@attribute y {0, 1}\n@data\n" +
                                 rowsOf("", ",", "\n")
                          << "y";
    QTest::newRow("fixed width")
        << "t.txt"
        << QByteArray(rowsOf("  ", "       ", "\n")).replace("  7 ", "    ").prepend("x       y\n")
        << "y";
    QTest::newRow("LIBSVM") << "t.svm" << rowsOf("1 1:", " 2:", "\n").replace("1 1:0", "-1 1:0")
                            << "f2";
}

void TstTableDoor::textFormatsTrainAndPredict()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, text);
    QFETCH(QString, label);
    const ProjectFixture project;
    project.write(name, text);
    const ProgramResult made = project.run({"new", name, "--label", label, "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const ProgramResult trained = project.run(
        {"train", "t.cannery", "--set", "train_spec.max_steps=3", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult predicted =
        project.run({"predict", "t.cannery", "--model-dir", "m", "--input", name});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QCOMPARE(predicted.out.trimmed().count('\n'), qsizetype{60});
    const ProgramResult shown = project.run({"browse", name, "--rows", "2", "--json"});
    QCOMPARE(json(shown)["total"].toInt(), 60);
}

void TstTableDoor::aTableInsteadOfAnExperimentIsNamed_data()
{
    QTest::addColumn<QStringList>("words");
    for (const QStringList& words : {QStringList{"train", "NAME"},
                                     {"check", "NAME"},
                                     {"plan", "NAME"},
                                     {"fmt", "NAME"},
                                     {"diff", "fixture.cannery", "NAME"},
                                     {"sweep", "NAME"},
                                     {"evaluate", "NAME"},
                                     {"preview", "NAME", "--buckets"}}) {
        QTest::newRow(qPrintable(words.front())) << words;
    }
}

void TstTableDoor::aTableInsteadOfAnExperimentIsNamed()
{
    QFETCH(const QStringList, words);
    const ProjectFixture project;
    writeDatabase(project, "shop.db", kOrders);
    QByteArray wide("a;b;c\n");
    for (int i = 0; i < 200; ++i) {
        wide += "1;x;2.5\n";
    }
    project.write("sales.csv", wide);
    project.write("rows.jsonl", "{\"a\": 1}\n{\"a\": 2}\n");
    project.write("some.dta", QByteArray("<stata_dta><header>"));
    project.write("page.html", "<html><body>");
    for (const char* name : {"sales.csv", "rows.jsonl", "shop.db", "some.dta", "page.html"}) {
        QStringList filled = words;
        filled.replaceInStrings("NAME", name);
        const ProgramResult refused = project.run(filled);
        const QString told = refused.out + refused.err;
        QVERIFY2(refused.exitCode == 3, qPrintable(told));
        QVERIFY2(told.contains(name) && told.contains("cannery new"), qPrintable(told));
        QVERIFY2(linesOf(refused) <= 3, qPrintable(told));
    }
}

void TstTableDoor::errorsOfTheSyntaxAreFew()
{
    const ProjectFixture project;
    project.write("odd.cannery", project.experiment() + QByteArray("}\n").repeated(50));
    const ProgramResult checked = project.run({"check", "odd.cannery"});
    QCOMPARE(checked.exitCode, 3);
    QVERIFY2(linesOf(checked) <= 12, qPrintable(checked.out));
    QVERIFY(checked.out.contains("40 more"));
}

void TstTableDoor::remarksAreMadeOnATable()
{
    const ProjectFixture project;
    project.write("same.csv", "a,b,when\n" + rowsOf("", ",7,2024-05-0", "\n"));
    const ProgramResult remarked = project.run({"preview", "same.csv", "--remarks"});
    QVERIFY2(remarked.exitCode == 0, qPrintable(remarked.err));
    QVERIFY2(remarked.err.contains("Every row has the same value in 'b'"),
             qPrintable(remarked.err));
    const ProgramResult shown = project.run({"preview", "same.csv"});
    QVERIFY(shown.exitCode == 0 && shown.out.contains("a | b | when"));
}

void TstTableDoor::inspectShowsTablesAndDatabases()
{
    const ProjectFixture project;
    writeDatabase(project, "shop.db", kOrders + kTowns);
    const ProgramResult table = project.run({"inspect", "table.csv"});
    QVERIFY(table.exitCode == 0 && table.out.contains("colour"));
    const ProgramResult database = project.run({"inspect", "shop.db"});
    QVERIFY(database.exitCode == 0 && database.out.contains("towns"));
    writeDatabase(project, "more.db",
                  kTowns +
                      "CREATE TABLE big (a, b); WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL "
                      "SELECT i + 1 FROM n WHERE i < 1000002) INSERT INTO big SELECT i, 0 FROM "
                      "n; CREATE VIEW broken AS SELECT * FROM missing");
    const QJsonArray tables =
        json(project.run({"inspect", "more.db", "--json"}))["tables"].toArray();
    const auto rows = [&](int place) { return tables[place].toObject()["rows"].toInteger(-1); };
    QCOMPARE(tables[0].toObject()["name"].toString(), QString("big"));
    QVERIFY(rows(0) == 1'000'000 && tables[0].toObject()["has_more_rows"].toBool());
    QVERIFY(rows(1) == -1 && rows(2) == 1 && !tables[2].toObject()["has_more_rows"].toBool());
    project.write("some.parquet", QByteArray("PAR1\0\0\0\0", 8));
    const ProgramResult other = project.run({"inspect", "some.parquet"});
    QVERIFY(other.exitCode == 1 && other.err.contains("read_parquet"));
}

namespace {

/// Writes an event file into a folder; its path in the project.
QString writeEvents(const ProjectFixture& project, const QString& folder, int first, int count)
{
    using namespace cannery::storage;
    auto writer = EventWriter::create(project.path(folder).toStdString());
    bool isWritten = writer.has_value();
    for (int i = 0; isWritten && i < count; ++i) {
        SummaryBuilder summary;
        summary.scalar("loss", 1.0F / static_cast<float>(i + 1));
        isWritten = writer->writeSummary(first + i, summary).has_value();
    }
    if (!isWritten || !writer->close()) {
        qFatal("the test's events are not written");
    }
    return QDir(project.path(".")).relativeFilePath(QString::fromStdString(writer->path()));
}

} // namespace

void TstTableDoor::inspectShowsEveryEventFileOfAFolder()
{
    const ProjectFixture project;
    writeEvents(project, "log/train", 0, 12);
    writeEvents(project, "log/train", 12, 9);
    const QString last = writeEvents(project, "log/validation", 0, 4);
    const QJsonArray files = json(project.run({"inspect", "log", "--json"}))["files"].toArray();
    QCOMPARE(files.size(), 3);
    const auto countOf = [&](int file) {
        return files[file].toObject()["tags"].toArray().first().toObject()["count"].toInt();
    };
    QCOMPARE(countOf(0), 12);
    QCOMPARE(countOf(1), 9);
    QCOMPARE(countOf(2), 4);
    const ProgramResult shown = project.run({"inspect", "log"});
    QVERIFY2(shown.out.contains(last), qPrintable(shown.out));
}

void TstTableDoor::inspectGoesOnBehindDamage()
{
    const ProjectFixture project;
    const QString name = writeEvents(project, "log", 0, 30);
    QByteArray bytes = project.read(name);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 0x55);
    project.write(name, bytes);
    const ProgramResult shown = project.run({"inspect", name, "--json"});
    QCOMPARE(shown.exitCode, 1);
    const QJsonObject found = json(shown);
    const QJsonObject tag = found["tags"].toArray().first().toObject();
    QVERIFY(tag["count"].toInt() >= 28);
    QCOMPARE(tag["last_step"].toInt(), 29);
    QCOMPARE(found["damages"].toArray().size(), 1);
    QVERIFY2(shown.err.contains("damaged"), qPrintable(shown.err));
}

CANNERY_TEST(TstTableDoor)
#include "tst_table_door.moc"
