// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <memory>

using namespace cannery::tests;

/// `cannery browse`: rows for a person, and a helper that answers requests.
class TstBrowse : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rowsAreShownFilteredAndSorted();
    void mistakesArePointedAt();
    void anExperimentSaysHowItsTableIsRead();
    void aHelperAnswersRequests();
    void statisticsComeWhileTheTableIsRead();
    void whatIsCancelledIsAnswered();
    void brokenRequestsAreRefused();
    void aHelperEndsWithItsInput();
    void badRowsAreCounted();
    void badRowsAreListed();
};

namespace {

/// A helper and its answers that the test has not read yet.
class Helper
{
public:
    Helper(const ProjectFixture& project, const QString& file)
        : m_process(project.start({"browse", file, "--serve"}))
    {}

    ~Helper()
    {
        m_process->closeWriteChannel();
        m_process->waitForFinished(kPatience);
    }
    Helper(const Helper&) = delete;
    Helper& operator=(const Helper&) = delete;

    QProcess& process() { return *m_process; }
    void send(const QByteArray& line) { m_process->write(line + '\n'); }

    /// The next line with this key (and this id); earlier lines are dropped.
    QJsonObject next(const QString& key, int id = -1)
    {
        while (m_process->canReadLine() || m_process->waitForReadyRead(kPatience)) {
            while (m_process->canReadLine()) {
                const QJsonObject line = QJsonDocument::fromJson(m_process->readLine()).object();
                if (line.contains(key) && (id < 0 || line["id"].toInt() == id)) {
                    return line;
                }
            }
        }
        return {};
    }

private:
    std::unique_ptr<QProcess> m_process;
};

QByteArray longTable(int rows)
{
    QByteArray text("n,s\n");
    for (int row = 0; row < rows; ++row) {
        text += QByteArray::number(row * 7919LL % rows) + ",text " + QByteArray::number(row) + '\n';
    }
    return text;
}

QStringList firstCells(const QJsonObject& rows)
{
    QStringList cells;
    for (const QJsonValue& row : rows["texts"].toArray()) {
        cells.append(row.toArray()[0].toString());
    }
    return cells;
}

} // namespace

void TstBrowse::rowsAreShownFilteredAndSorted()
{
    const ProjectFixture project;
    project.write("small.csv", "n,s\n3,c\n1,a\n,b\n2,a\n");
    const ProgramResult all = project.run({"browse", "small.csv"});
    QCOMPARE(all.exitCode, 0);
    QCOMPARE(all.out, QString("row | n | s\n1 | 3 | c\n2 | 1 | a\n3 |  | b\n4 | 2 | a\n"));
    const QJsonObject some =
        json(project.run({"browse", "small.csv", "--json", "--filter", "s = a or n is missing",
                          "--sort", "n", "--descending", "--rows", "2"}));
    QCOMPARE(some["numbers"].toArray(), (QJsonArray{4, 2}));
    QCOMPARE(some["total"].toInt(), 3);
    QCOMPARE(
        json(project.run({"browse", "small.csv", "--json", "--sort", "n", "--first", "4"}))["texts"]
            .toArray(),
        (QJsonArray{QJsonArray{QJsonValue::Null, "b"}}));
    QVERIFY(project.run({"browse", "small.csv", "--filter", "n > 5"}).err.contains("no row"));
}

void TstBrowse::mistakesArePointedAt()
{
    const ProjectFixture project;
    const ProgramResult wrong = project.run({"browse", "table.csv", "--filter", "nothing = 1"});
    QCOMPARE(wrong.exitCode, 3);
    QVERIFY2(wrong.err.contains("Character 1: the table has no column \"nothing\""),
             qPrintable(wrong.err));
    QCOMPARE(project.run({"browse", "table.csv", "--sort", "nothing"}).exitCode, 3);
    QVERIFY(project.run({"browse", "none.csv"}).exitCode != 0);
    for (const char* rows : {"0", "-1", "10001"}) {
        const ProgramResult refused = project.run({"browse", "table.csv", "--rows", rows});
        QCOMPARE(refused.exitCode, 2);
        QCOMPARE(refused.err,
                 QString("error: --rows must be from 1 to 10000, not %1.\n").arg(rows));
    }
    QCOMPARE(project.run({"browse", "table.csv", "--first", "0"}).exitCode, 2);
    const ProgramResult beyond =
        project.run({"browse", "table.csv", "--first", "9223372036854765807"});
    QCOMPARE(beyond.exitCode, 0);
    QVERIFY2(beyond.err.contains("there are only "), qPrintable(beyond.err));
}

void TstBrowse::anExperimentSaysHowItsTableIsRead()
{
    const ProjectFixture project;
    project.write("odd.csv", "n;s\n1;a\n2;b\n");
    project.write("odd.cannery", "data { train { csv { files: 'odd.csv' field_delim: ';' } } }\n");
    const QStringList words{"browse", "odd.cannery", "--json"};
    QCOMPARE(firstCells(json(project.run(words))), (QStringList{"1", "2"}));
    const QStringList comma{"--set", "data.train.csv.field_delim=,"};
    QCOMPARE(firstCells(json(project.run(words + comma))), (QStringList{"1;a", "2;b"}));
}

void TstBrowse::aHelperAnswersRequests()
{
    const ProjectFixture project;
    project.write("long.csv", longTable(300'000));
    Helper helper(project, "long.csv");
    const QJsonObject table = helper.next("table")["table"].toObject();
    QCOMPARE(table["columns"].toArray().size(), 2);
    helper.send(R"({"id":1,"rows":{"first":0,"count":3}})");
    const QJsonObject first = helper.next("rows", 1)["rows"].toObject();
    QCOMPARE(firstCells(first), (QStringList{"0", "7919", "15838"}));
    helper.send(R"({"id":2,"rows":{"first":299998,"count":9,"sort":"n","descending":true}})");
    const QJsonObject last = helper.next("rows", 2)["rows"].toObject();
    QCOMPARE(firstCells(last), (QStringList{"1", "0"}));
    QCOMPARE(last["total"].toInt(), 300'000);
    QCOMPARE(last["so_far"].toBool(), false);
    helper.send(R"({"id":3,"rows":{"filter":"n < 2 or s = \"text 9\"","sort":"s"}})");
    const QJsonObject few = helper.next("rows", 3)["rows"].toObject();
    QCOMPARE(few["total"].toInt(), 3);
    helper.send(R"({"id":4,"check":{"filter":"n <"}})");
    const QJsonObject problem = helper.next("check", 4)["check"].toObject()["error"].toObject();
    QCOMPARE(problem["id"].toString(), "data.filter_no_value");
    QCOMPARE(problem["position"].toInt(), 3);
    helper.send(R"({"id":5,"check":{"filter":"n < 3"}})");
    QVERIFY(helper.next("check", 5)["check"].toObject().isEmpty());
    helper.send(R"({"id":6,"rows":{"filter":"m < 3"}})");
    QCOMPARE(helper.next("error", 6)["error"].toObject()["position"].toInt(), 0);
    helper.send(R"({"id":7,"rows":{"sort":"m"}})");
    QCOMPARE(helper.next("error", 7)["error"].toObject()["id"].toString(), "data.no_such_column");
}

void TstBrowse::statisticsComeWhileTheTableIsRead()
{
    const ProjectFixture project;
    project.write("long.csv", longTable(300'000));
    Helper helper(project, "long.csv");
    helper.send(R"({"id":1,"statistics":{}})");
    const QJsonObject first = helper.next("statistics", 1)["statistics"].toObject();
    QVERIFY(first["so_far"].toBool());
    QVERIFY(first["rows"].toInt() > 0 && first["rows"].toInt() < 300'000);
    QJsonObject found = first;
    while (found["so_far"].toBool()) {
        found = helper.next("statistics", 1)["statistics"].toObject();
        QVERIFY(!found.isEmpty());
    }
    QCOMPARE(found["rows"].toInt(), 300'000);
    const QJsonObject column = found["columns"].toArray()[0].toObject();
    QCOMPARE(column["max"].toInt(), 299'999);
    QVERIFY(column["histogram"].toObject()["counts"].toArray().size() > 5);
    // The rows are known now; asking for statistics again takes another pass.
    helper.send(R"({"id":2,"rows":{"first":299999,"count":1}})");
    QCOMPARE(firstCells(helper.next("rows", 2)["rows"].toObject()).size(), 1);
    helper.send(R"({"id":3,"statistics":{}})");
    QVERIFY(helper.next("statistics", 3)["statistics"].toObject()["so_far"].toBool());
}

void TstBrowse::whatIsCancelledIsAnswered()
{
    const ProjectFixture project;
    project.write("long.csv", longTable(1'000'000));
    Helper helper(project, "long.csv");
    helper.send(R"({"id":1,"statistics":{}})");
    helper.send(R"({"id":2,"rows":{"sort":"s"}})");
    QVERIFY(!helper.next("statistics", 1).isEmpty());
    helper.send(R"({"cancel":1})");
    QCOMPARE(helper.next("error", 1)["error"].toObject()["id"].toString(), "data.browse_cancelled");
    helper.send(R"({"cancel":2})");
    QCOMPARE(helper.next("error", 2)["error"].toObject()["id"].toString(), "data.browse_cancelled");
    // Nothing is left of it: the same request can be sent again.
    helper.send(R"({"cancel":2})");
    helper.send(R"({"id":3,"rows":{"sort":"s","count":1}})");
    QCOMPARE(helper.next("rows", 3)["rows"].toObject()["total"].toInt(), 1'000'000);
    helper.send(R"({"id":4,"rows":{"sort":"n","count":1}})");
    QVERIFY(!helper.next("progress", 4).isEmpty());
    helper.send(R"({"cancel":4})");
    QCOMPARE(helper.next("error", 4)["error"].toObject()["id"].toString(), "data.browse_cancelled");
}

void TstBrowse::brokenRequestsAreRefused()
{
    const ProjectFixture project;
    Helper helper(project, "table.csv");
    for (const char* line : {"{", "[]", "7", "{}", R"({"id":"x","rows":{}})", R"({"rows":{}})"}) {
        helper.send(line);
        const QJsonObject refused = helper.next("error");
        QCOMPARE(refused["error"].toObject()["id"].toString(), "command.bad_browse_request");
        QVERIFY(!refused.contains("id"));
    }
    for (const char* line : {R"({"id":5})", R"({"id":5,"rows":3})", R"({"id":5,"bad_rows":[]})"}) {
        helper.send(line);
        QCOMPARE(helper.next("error", 5)["error"].toObject()["id"].toString(),
                 "command.bad_browse_request");
    }
    helper.send("\xFF\xFE");
    QVERIFY(!helper.next("error").isEmpty());
    helper.send(R"({"id":6,"rows":{"first":-4,"count":1e300,"filter":7,"sort":null}})");
    QCOMPARE(helper.next("rows", 6)["rows"].toObject()["texts"].toArray().size(), 200);
}

void TstBrowse::aHelperEndsWithItsInput()
{
    const ProjectFixture project;
    project.write("long.csv", longTable(1'000'000));
    Helper helper(project, "long.csv");
    helper.send(R"({"id":1,"statistics":{}})");
    helper.send(R"({"id":2,"rows":{"sort":"s"}})");
    QVERIFY(!helper.next("statistics", 1).isEmpty());
    helper.process().closeWriteChannel();
    QVERIFY(helper.process().waitForFinished(kPatience));
    QCOMPARE(helper.process().exitCode(), 0);
    const ProgramResult silent = project.run({"browse", "long.csv", "--serve"});
    QCOMPARE(silent.exitCode, 0);
    QVERIFY(silent.out.startsWith("{\"table\":"));
    const ProgramResult none = project.run({"browse", "none.csv", "--serve", "--json"});
    QVERIFY(none.exitCode != 0);
    QVERIFY(json(none)["error"].toObject()["sentence"].toString().contains("none.csv"));
}

void TstBrowse::badRowsAreCounted()
{
    const ProjectFixture project;
    project.write("ragged.csv", "a,b\n1,2\n3\n4,5\n6,7,8\n");
    const ProgramResult shown = project.run({"browse", "ragged.csv"});
    QCOMPARE(shown.out, QString("row | a | b\n1 | 1 | 2\n2 | 4 | 5\n"));
    QVERIFY2(shown.err.contains("2 rows cannot be read and are left out"), qPrintable(shown.err));
}

void TstBrowse::badRowsAreListed()
{
    const ProjectFixture project;
    project.write("bad.csv", "n,s\n1,a\n2,b,c\n3,c\n");
    Helper helper(project, "bad.csv");
    helper.send(R"({"id":1,"rows":{"count":100}})");
    QCOMPARE(firstCells(helper.next("rows", 1)["rows"].toObject()), (QStringList{"1", "3"}));
    QJsonObject extent;
    while (extent["so_far"].toBool(true)) {
        extent = helper.next("extent")["extent"].toObject();
        QVERIFY(!extent.isEmpty());
    }
    QCOMPARE(extent["bad_rows"].toInt(), 1);
    helper.send(R"({"id":2,"bad_rows":{"first":0,"count":10}})");
    const QJsonObject bad = helper.next("bad_rows", 2)["bad_rows"].toObject();
    QCOMPARE(bad["total"].toInt(), 1);
    const QJsonObject row = bad["rows"].toArray()[0].toObject();
    QCOMPARE(row["line"].toInt(), 3);
    QCOMPARE(row["text"].toString(), "2,b,c");
    QVERIFY(row["message"].toString().contains("3 fields instead of 2"));
    QVERIFY(row["file"].toString().endsWith("bad.csv"));
}

CANNERY_TEST(TstBrowse)
#include "tst_browse.moc"
