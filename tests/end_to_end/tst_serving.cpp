// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using namespace cannery::tests;

/// Predictions row by row: `cannery predict --serve`, and the shared library by its example in C.
class TstServing : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void everyFormOfAModelIsServed_data();
    void everyFormOfAModelIsServed();
    void exportsPredictWhatTheirRunPredicts_data();
    void exportsPredictWhatTheirRunPredicts();
    void rowsMeanWhatTheyMeanInATable_data();
    void rowsMeanWhatTheyMeanInATable();
    void aWrongRowIsNamedWhereItWasGiven_data();
    void aWrongRowIsNamedWhereItWasGiven();
    void aRowWithoutALineBreakIsAnswered();
    void aClosedInputEndsIt();
    void noFileIsWritten();
    void aFullDiskIsNoShorterTable_data();
    void aFullDiskIsNoShorterTable();
    void answersAreThereBeforeTheNextRow();
    void aSignalEndsItAfterAnAnswer_data();
    void aSignalEndsItAfterAnAnswer();
    void aReaderThatIsGoneEndsItQuietly();
    void theExampleInCPredictsLikeTheProgram_data();
    void theExampleInCPredictsLikeTheProgram();
    void theExampleInCSaysWhatIsWrong();
    void theLibraryHasTheNamesOfItsHeaderAlone();

private:
    ProgramResult example(const QStringList& arguments) const;

    ProjectFixture m_project;
    ProjectFixture m_lists; ///< with a stack and a split feature
    QString m_export;
};

namespace {

constexpr const char* kRow = R"({"x": 0.5, "y": 1.5, "colour": "red"})";
constexpr const char* kOther = R"({"x": -0.25, "y": 3, "colour": "purple"})";

constexpr const char* kLists = R"(
name: "lists"
data {
  train { csv { files: "lists.csv" } }
  label { column: "label" }
  key_column: "id"
  column { name: "y" missing_token: "?" default_value: "5" }
  column { name: "words" missing_token: "?" }
  feature { name: "pair" stack { columns: ["x", "y"] } }
  feature { name: "word" split { column: "words" } }
}
feature_column { name: "pair" numeric_column { key: "pair" shape: [2] default_value: [7, 8] } }
feature_column { name: "word" categorical_column_with_hash_bucket { key: "word" hash_bucket_size: 50 } }
estimator { linear_classifier { feature_columns: ["pair", "word"] } }
train_spec { max_steps: 20 input { batch_size: 8 } }
)";

ProgramResult finished(QProcess& process)
{
    ProgramResult result;
    if (process.waitForFinished(kPatience)) {
        result.exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    }
    result.out = QString::fromUtf8(process.readAllStandardOutput());
    result.err = QString::fromUtf8(process.readAllStandardError());
    return result;
}

} // namespace

void TstServing::initTestCase()
{
    const ProgramResult trained = m_project.run({"train", "fixture.cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult exported = m_project.run({"export", "run-001", "--output", "served"});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    m_export = exported.out.trimmed();

    QByteArray rows = "id,x,y,words,label\n";
    for (int i = 0; i < 40; ++i) {
        rows += QByteArray::number(i) + "," + QByteArray::number(i % 7) + ",1.5," +
                (i % 2 == 0 ? "a|b" : "b") + "," + (i % 3 == 0 ? "1" : "0") + "\n";
    }
    m_lists.write("lists.csv", rows);
    m_lists.write("lists.cannery", kLists);
    const ProgramResult lists = m_lists.run({"train", "lists.cannery", "--quiet"});
    QVERIFY2(lists.exitCode == 0, qPrintable(lists.err));
}

ProgramResult TstServing::example(const QStringList& arguments) const
{
    QProcess process;
    process.setWorkingDirectory(m_project.path("."));
    process.start(CANNERY_PREDICT_EXAMPLE, arguments);
    return finished(process);
}

void TstServing::everyFormOfAModelIsServed_data()
{
    QTest::addColumn<QString>("form");
    QTest::newRow("run") << "run";
    QTest::newRow("folder") << "folder";
    QTest::newRow("checkpoint") << "checkpoint";
    QTest::newRow("SavedModel") << "SavedModel";
}

void TstServing::everyFormOfAModelIsServed()
{
    QFETCH(QString, form);
    QString model = form == "run" ? "run-001" : form == "folder" ? "runs/run-001" : m_export;
    if (form == "checkpoint") {
        const QStringList found = QDir(m_project.path("runs/run-001"))
                                      .entryList({"model.ckpt-*.index"}, QDir::Files, QDir::Time);
        model = "runs/run-001/" + found.first().chopped(6);
    }
    const QByteArray rows = QByteArray(kRow) + "\n" + kOther + "\n";
    const ProgramResult expected = m_project.run({"predict", "run-001", "--format", "jsonl"}, rows);
    QVERIFY2(expected.exitCode == 0, qPrintable(expected.err));
    const ProgramResult served = m_project.run({"predict", model, "--serve"}, rows);
    QVERIFY2(served.exitCode == 0, qPrintable(served.err));
    QCOMPARE(served.out, expected.out);
    const ProgramResult table = m_project.run({"predict", model, "--format", "jsonl"}, rows);
    QCOMPARE(table.out, expected.out);
}

void TstServing::exportsPredictWhatTheirRunPredicts_data()
{
    QTest::addColumn<QString>("table");
    QTest::newRow("titanic") << "titanic_eval.csv";
    QTest::newRow("titanic_trees") << "titanic_eval.csv";
    QTest::newRow("visits") << "visits.csv";
    QTest::newRow("offers") << "offers.csv";
    QTest::newRow("penguin_groups") << "penguins.csv";
}

void TstServing::exportsPredictWhatTheirRunPredicts()
{
    QFETCH(QString, table);
    const QString name = QTest::currentDataTag();
    const ProjectFixture project;
    copyExample(name, project.path("example"));
    const ProgramResult trained = project.run({"train", "example/" + name + ".cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QStringList run{"run-001", "--project", "example"};
    const QStringList rows{"--input", "example/" + table, "--format", "jsonl"};
    const ProgramResult expected = project.run(QStringList("predict") + run + rows);
    QVERIFY2(expected.exitCode == 0, qPrintable(expected.err));
    const ProgramResult exported =
        project.run(QStringList("export") + run + QStringList{"--output", "served"});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    QFile::rename(project.path("example/runs"), project.path("elsewhere"));
    const QString served = exported.out.trimmed();
    const ProgramResult again = project.run(QStringList{"predict", served} + rows);
    QVERIFY2(again.exitCode == 0, qPrintable(again.err));
    QCOMPARE(again.out, expected.out);
}

void TstServing::rowsMeanWhatTheyMeanInATable_data()
{
    QTest::addColumn<QByteArray>("row");
    QTest::newRow("everything") << QByteArray(R"({"id": 1, "x": 1, "y": 2, "words": ["a", "b"]})");
    QTest::newRow("null in a stack") << QByteArray(R"({"id": 1, "x": 1, "y": null, "words": "a"})");
    QTest::newRow("no text in a stack")
        << QByteArray(R"({"id": 1, "x": "", "y": 2, "words": "a|b"})");
    QTest::newRow("token in a stack")
        << QByteArray(R"({"id": 1, "x": 1.5, "y": "?", "words": "a"})");
    QTest::newRow("null in a list")
        << QByteArray(R"({"id": 1, "x": 1, "y": 2, "words": ["a", null, ""]})");
    QTest::newRow("token as a list") << QByteArray(R"({"id": 1, "x": 1, "y": 2, "words": "?"})");
    QTest::newRow("list of one") << QByteArray(R"({"id": 1, "x": [1], "y": [2], "words": ["b"]})");
    QTest::newRow("no key") << QByteArray(R"({"id": null, "x": 1, "y": 2, "words": "a"})");
}

void TstServing::rowsMeanWhatTheyMeanInATable()
{
    QFETCH(QByteArray, row);
    const ProgramResult table = m_lists.run({"predict", "run-001", "--format", "jsonl"}, row);
    QVERIFY2(table.exitCode == 0, qPrintable(table.err));
    const ProgramResult served = m_lists.run({"predict", "run-001", "--serve"}, row);
    QCOMPARE(served.out, table.out);
}

void TstServing::aWrongRowIsNamedWhereItWasGiven_data()
{
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("place");
    const QByteArray good = R"({"x": 1, "y": 2, "colour": "a\nb"})";
    const QByteArray bad = R"({"x": "wide", "y": 2, "colour": "red"})";
    const QByteArray json = "\n" + good + "\n\n" + bad + "\n";
    QTest::newRow("JSON from standard input") << json << "-"
                                              << "standard input:4: \"wide\"";
    QTest::newRow("JSON file") << json << "rows.jsonl"
                               << "rows.jsonl:4: \"wide\"";
    QTest::newRow("CSV from standard input")
        << QByteArray("x,y,colour\n1,2,red\nwide,2,red\n") << "-"
        << "standard input:3: \"wide\"";
}

void TstServing::aWrongRowIsNamedWhereItWasGiven()
{
    QFETCH(QByteArray, rows);
    QFETCH(QString, file);
    QFETCH(QString, place);
    m_project.write("rows.jsonl", rows);
    const ProgramResult result = m_project.run({"predict", "run-001", "--input", file}, rows);
    QCOMPARE(result.exitCode, 0); // the other row is predicted
    QVERIFY2(result.err.contains(place), qPrintable(result.err));
}

void TstServing::aClosedInputEndsIt()
{
    QProcess server;
    server.setWorkingDirectory(m_project.path("."));
    server.setChildProcessModifier([] { close(STDIN_FILENO); });
    server.start(CANNERY_PROGRAM, {"predict", "run-001", "--serve"});
    const ProgramResult result = finished(server);
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.out, QString());
}

void TstServing::noFileIsWritten()
{
    const QStringList before = QDir(m_project.path(".")).entryList();
    QCOMPARE(m_project.run({"predict", "run-001", "--serve"}, kRow).exitCode, 0);
    QCOMPARE(QDir(m_project.path(".")).entryList(), before);
}

void TstServing::aFullDiskIsNoShorterTable_data()
{
    QTest::addColumn<QByteArray>("header");
    QTest::addColumn<QByteArray>("row");
    QTest::newRow("CSV") << QByteArray("x,y,colour\n") << QByteArray("0.5,1.5,red\n");
    QTest::newRow("JSON lines") << QByteArray() << QByteArray(kRow) + "\n";
}

/// Rows from standard input go through a temporary file.
void TstServing::aFullDiskIsNoShorterTable()
{
    QFETCH(QByteArray, header);
    QFETCH(QByteArray, row);
    constexpr rlim_t kMostBytes = 65536;
    QProcess predicting;
    predicting.setWorkingDirectory(m_project.path("."));
    predicting.setChildProcessModifier([] {
        const rlimit limit{.rlim_cur = kMostBytes, .rlim_max = kMostBytes};
        setrlimit(RLIMIT_FSIZE, &limit);
    });
    predicting.start(CANNERY_PROGRAM, {"predict", "run-001"});
    predicting.write(header + row.repeated(20000));
    predicting.closeWriteChannel();
    const ProgramResult result = finished(predicting);
    QCOMPARE(result.exitCode, 1);
    QCOMPARE(result.out, QString());
    QVERIFY2(result.err.contains("Cannot write the temporary file "), qPrintable(result.err));
}

void TstServing::aRowWithoutALineBreakIsAnswered()
{
    const ProgramResult whole =
        m_project.run({"predict", "run-001", "--serve"}, QByteArray(kRow) + "\n");
    const ProgramResult open = m_project.run({"predict", "run-001", "--serve"}, kRow);
    QCOMPARE(open.exitCode, 0);
    QCOMPARE(open.out, whole.out);
    QCOMPARE(whole.out.count('\n'), 1);
}

void TstServing::answersAreThereBeforeTheNextRow()
{
    const auto server = m_project.start({"predict", "run-001", "--serve"});
    for (const char* row : {kRow, "no row", kOther}) {
        server->write(QByteArray(row) + "\n");
        QVERIFY(QTest::qWaitFor([&] { return server->canReadLine(); }, kPatience));
        const QJsonObject answer = QJsonDocument::fromJson(server->readLine()).object();
        QCOMPARE(answer.contains("error"), QByteArray(row) == "no row");
        QCOMPARE(answer.contains("probabilities"), QByteArray(row) != "no row");
    }
    server->closeWriteChannel();
    QCOMPARE(finished(*server).exitCode, 0);
}

void TstServing::aSignalEndsItAfterAnAnswer_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("SIGTERM") << SIGTERM;
    QTest::newRow("SIGINT") << SIGINT;
}

void TstServing::aSignalEndsItAfterAnAnswer()
{
    QFETCH(int, signal);
    const auto server = m_project.start({"predict", "run-001", "--serve"});
    server->write(QByteArray(kRow) + "\n" + kOther);
    QVERIFY(QTest::qWaitFor([&] { return server->canReadLine(); }, kPatience));
    kill(static_cast<pid_t>(server->processId()), signal);
    const ProgramResult result = finished(*server);
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.out.count('\n'), 1); // the row that was not complete has no answer
    QVERIFY2(!result.err.contains("error"), qPrintable(result.err));
}

void TstServing::aReaderThatIsGoneEndsItQuietly()
{
    int ends[2] = {};
    QCOMPARE(pipe(ends), 0);
    close(ends[0]);
    QProcess server;
    server.setWorkingDirectory(m_project.path("."));
    server.setChildProcessModifier([&] { dup2(ends[1], STDOUT_FILENO); });
    server.start(CANNERY_PROGRAM, {"predict", "run-001", "--serve"});
    server.write(QByteArray(kRow) + "\n"); // and its input stays open
    const ProgramResult result = finished(server);
    close(ends[1]);
    QCOMPARE(result.exitCode, 128 + SIGPIPE);
    QVERIFY2(!result.err.contains("error"), qPrintable(result.err));
}

void TstServing::theExampleInCPredictsLikeTheProgram_data()
{
    QTest::addColumn<bool>("isExport");
    QTest::newRow("run") << false;
    QTest::newRow("SavedModel") << true;
}

void TstServing::theExampleInCPredictsLikeTheProgram()
{
    QFETCH(bool, isExport);
    const QString model = isExport ? m_export : QString("runs/run-001");
    const ProgramResult said = example({model});
    QCOMPARE(said.exitCode, 0);
    QStringList inputs = said.out.trimmed().split('\n');
    inputs.sort();
    QCOMPARE(inputs, QStringList({"colour: text", "x: number", "y: number"}));

    const ProgramResult rows =
        example({model, "x=0.5", "y=1.5", "colour=red", "--", "x=-0.25", "y=3", "colour=purple"});
    QVERIFY2(rows.exitCode == 0, qPrintable(rows.err));
    const QStringList lines = rows.out.trimmed().split('\n');
    const ProgramResult program =
        m_project.run({"predict", "run-001", "--serve"}, QByteArray(kRow) + "\n" + kOther + "\n");
    const QStringList answers = program.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 2);
    QCOMPARE(answers.size(), 2);
    static const QRegularExpression kLogits("logits: (\\S+)");
    for (int row = 0; row < 2; ++row) {
        const QJsonObject answer = QJsonDocument::fromJson(answers[row].toUtf8()).object();
        QCOMPARE(kLogits.match(lines[row]).captured(1).toFloat(),
                 static_cast<float>(answer["logits"].toDouble()));
    }
}

void TstServing::theExampleInCSaysWhatIsWrong()
{
    const ProgramResult missing = example({"nowhere"});
    QCOMPARE(missing.exitCode, 1);
    QVERIFY2(missing.err.contains("There is no folder nowhere"), qPrintable(missing.err));
    const ProgramResult cell = example({m_export, "x=wide"});
    QCOMPARE(cell.exitCode, 1);
    QVERIFY2(cell.err.contains("'wide' is not a value of feature 'x'"), qPrintable(cell.err));
    QCOMPARE(example({}).exitCode, 2);
}

void TstServing::theLibraryHasTheNamesOfItsHeaderAlone()
{
    QFile header(CANNERY_SOURCE_DIR "/app/predict_library/cannery_predict.h");
    QVERIFY(header.open(QIODevice::ReadOnly));
    static const QRegularExpression kFunction("^[a-z].*\\b(cannery_\\w+)\\(",
                                              QRegularExpression::MultilineOption);
    QStringList declared;
    for (const auto& match : kFunction.globalMatch(QString::fromUtf8(header.readAll()))) {
        declared << match.captured(1);
    }
    declared.sort();
    QVERIFY(declared.size() > 20);

    QProcess names;
    names.start("nm", {"--dynamic", "--defined-only", "--format=posix", CANNERY_PREDICT_LIBRARY});
    const ProgramResult result = finished(names);
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    QStringList exported;
    for (const QString& line : result.out.split('\n', Qt::SkipEmptyParts)) {
        const QString name = line.section(' ', 0, 0).section('@', 0, 0);
        if (line.section(' ', 1, 1) != "A") { // the version's own name
            exported << name;
        }
    }
    exported.sort();
    QCOMPARE(exported, declared);
}

CANNERY_TEST(TstServing)
#include "tst_serving.moc"
