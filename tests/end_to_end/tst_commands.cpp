// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QStringEncoder>
#include <QTest>

#include <cmath>

using namespace cannery::tests;

namespace {

/// The commands that `cannery help` lists.
QStringList commandsOfTheHelp(const ProjectFixture& project)
{
    QStringList commands;
    static const QRegularExpression kLine("^  ([a-z]+)  ", QRegularExpression::MultilineOption);
    for (auto line = kLine.globalMatch(project.run({"help"}).out); line.hasNext();) {
        commands << line.next().captured(1);
    }
    return commands;
}

/// The fixture's experiment with trees over histograms.
void writeTrees(const ProjectFixture& project)
{
    QByteArray text = project.experiment();
    const qsizetype begin = text.indexOf("estimator {");
    text.replace(begin, text.indexOf("train_spec") - begin,
                 "estimator { boosted_trees_classifier { feature_columns: [\"x\", \"y\", "
                 "\"colour\"] n_trees: 5 histogram { min_rows_per_leaf: 1 } } }\n");
    project.write("trees.cannery", text);
}

} // namespace

class TstCommands : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void helpKnowsEveryCommandAndField();
    void helpFitsOnAScreen();
    void completionsNameEveryCommand();
    void checkReportsEveryProblemAtOnce();
    void anOverrideTakesNoWordAfterIt();
    void checkKnowsTheColumnsOfTheTable();
    void resolvedExperimentResolvesToItself();
    void fmtIsIdempotentAndKeepsComments();
    void diffNamesWhatDiffers();
    void previewShowsEncodedRows();
    void predictPassesKeysThrough();
    void predictReadsJsonLines();
    void predictReadsJsonLinesLikeTheTablesOfTheModel();
    void predictServesRowsOneByOne();
    void evaluationsShowTablesAndSlices();
    void treesExplainTheirPredictions();
    void theSameTableInAnotherEncodingGivesTheSameModel();
    void runsAreKeptAndNamed();
    void inspectShowsWhatIsInside();
    void evaluateTakesANewFile();
    void groupsAreFoundWithoutALabel();
    void exportWritesAProgram();
};

void TstCommands::helpKnowsEveryCommandAndField()
{
    const ProjectFixture project;
    const ProgramResult overview = project.run({"help"});
    QCOMPARE(overview.exitCode, 0);
    for (const char* command :
         {"new",     "train",    "worker", "launch", "resume",     "evaluate", "predict",
          "export",  "check",    "plan",   "fmt",    "diff",       "preview",  "browse",
          "inspect", "runs",     "queue",  "verify", "doctor",     "help",     "completion",
          "convert", "validate", "attach", "pause",  "checkpoint", "stop",     "sweep"}) {
        QVERIFY2(overview.out.contains(QString("\n  %1 ").arg(command)), command);
        const ProgramResult help = project.run({"help", command});
        QCOMPARE(help.exitCode, 0);
        QVERIFY2(help.out.contains(QString("Usage: cannery %1").arg(command)), command);
    }
    const ProgramResult field = project.run({"help", "estimator.dnn_classifier.hidden_units"});
    QCOMPARE(field.exitCode, 0);
    QVERIFY(field.out.contains("hidden_units"));
    QCOMPARE(project.run({"help", "estimator.dnn_clasifier"}).exitCode, 2);
}

/// A list of choices does not push the help of the other options out of sight.
void TstCommands::helpFitsOnAScreen()
{
    const ProjectFixture project;
    for (const QString& command : commandsOfTheHelp(project)) {
        const QString help = project.run({"help", command}).out;
        for (const QString& line : help.split('\n')) {
            const qsizetype gap = line.lastIndexOf("    ");
            QVERIFY2(gap < 40, qPrintable(line));
        }
    }
}

void TstCommands::completionsNameEveryCommand()
{
    const ProjectFixture project;
    const QStringList commands = commandsOfTheHelp(project);
    QVERIFY(commands.size() >= 17);
    for (const char* shell : {"bash", "zsh", "fish"}) {
        const ProgramResult script = project.run({"completion", shell});
        QCOMPARE(script.exitCode, 0);
        for (const QString& command : commands) {
            const QRegularExpression word("(?<![\\w-])" + command + "(?![\\w-])");
            QVERIFY2(script.out.contains(word), qPrintable(QString(shell) + ": " + command));
        }
        QVERIFY(script.out.contains("model-dir"));
    }
    QCOMPARE(project.run({"completion", "powershell"}).exitCode, 2);
}

void TstCommands::checkReportsEveryProblemAtOnce()
{
    const ProjectFixture project;
    QByteArray text = project.experiment("dropout: 0.1", "dropout: 1.5");
    text.replace("key: \"x\"", "kee: \"x\"");
    text.replace("save_summary_steps: 10", "save_summary_steps: -1");
    project.write("fixture.cannery", text);
    const ProgramResult checked = project.run({"check", "fixture.cannery"});
    QCOMPARE(checked.exitCode, 3);
    QVERIFY2(checked.out.contains("fixture.cannery:7:"), qPrintable(checked.out));
    QVERIFY(checked.out.contains("[estimator.dnn_classifier.dropout]"));
    QVERIFY(checked.out.contains("[run_config.save_summary_steps]"));
    const QJsonArray problems =
        json(project.run({"check", "fixture.cannery", "--json"}))["problems"].toArray();
    QVERIFY(problems.size() >= 3);
}

void TstCommands::anOverrideTakesNoWordAfterIt()
{
    const ProjectFixture project;
    const ProgramResult between =
        project.run({"check", "--set", "train_spec.max_steps=70", "fixture.cannery", "--json"});
    QVERIFY2(between.exitCode == 0, qPrintable(between.err));
    const ProgramResult twice = project.run({"check", "--set", "train_spec.max_steps=70",
                                             "train_spec.max_steps=80", "fixture.cannery"});
    QCOMPARE(twice.exitCode, 2);
}

void TstCommands::checkKnowsTheColumnsOfTheTable()
{
    const ProjectFixture project;
    project.write("label.cannery", project.experiment("column: \"label\"", "column: \"why\""));
    const ProgramResult label = project.run({"check", "label.cannery"});
    QCOMPARE(label.exitCode, 3);
    QVERIFY2(label.out.contains("no column 'why'") && label.out.contains("[data.label.column]"),
             qPrintable(label.out));
    project.write("file.cannery", project.experiment("table.csv", "absent.csv"));
    const ProgramResult file = project.run({"check", "file.cannery"});
    QCOMPARE(file.exitCode, 3);
    QVERIFY2(file.out.contains("absent.csv") && file.out.contains("[data.train]"),
             qPrintable(file.out));
}

void TstCommands::resolvedExperimentResolvesToItself()
{
    const ProjectFixture project;
    const ProgramResult once = project.run({"check", "fixture.cannery", "--resolved"});
    QCOMPARE(once.exitCode, 0);
    QVERIFY(once.out.contains("shuffle_seed: 11") && once.out.contains("stddev: "));
    project.write("resolved.cannery", once.out.toUtf8());
    const ProgramResult twice = project.run({"check", "resolved.cannery", "--resolved"});
    QCOMPARE(twice.out, once.out);
}

void TstCommands::fmtIsIdempotentAndKeepsComments()
{
    const ProjectFixture project;
    project.write("fixture.cannery", "# first\n" + project.experiment() + "# last\n");
    QCOMPARE(project.run({"fmt", "fixture.cannery"}).exitCode, 0);
    const QByteArray once = project.read("fixture.cannery");
    QVERIFY(once.startsWith("# first\n"));
    QVERIFY(once.endsWith("# last\n"));
    QCOMPARE(project.run({"fmt", "fixture.cannery"}).exitCode, 0);
    QCOMPARE(project.read("fixture.cannery"), once);
    QCOMPARE(project.run({"fmt", "--check", "fixture.cannery"}).exitCode, 0);
}

void TstCommands::diffNamesWhatDiffers()
{
    const ProjectFixture project;
    project.write("other.cannery", project.experiment("max_steps: 60", "max_steps: 70"));
    const ProgramResult result = project.run({"diff", "fixture.cannery", "other.cannery"});
    QCOMPARE(result.exitCode, 0);
    QCOMPARE(result.out.trimmed(), QString("train_spec.max_steps: 60 -> 70"));
}

void TstCommands::previewShowsEncodedRows()
{
    const ProjectFixture project;
    const QJsonArray rows =
        json(project.run({"preview", "fixture.cannery", "--rows", "3", "--json"}))["rows"]
            .toArray();
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[0].toObject()["colour"].toArray(), QJsonArray({0}));
    QCOMPARE(rows[1].toObject()["colour"].toArray(), QJsonArray({1}));
    QCOMPARE(rows[0].toObject()["x"].toArray(), QJsonArray({-1}));
}

void TstCommands::predictPassesKeysThrough()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("label { column: \"label\" }",
                                     "label { column: \"label\" } key_column: \"id\""));
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    project.write("rows.csv", "id,x,y,colour\n71,0.5,1.5,red\n\"a,b\",0.1,2,purple\n");
    const ProgramResult result = project.run(
        {"predict", "fixture.cannery", "--model-dir", "m", "--input", "rows.csv", "--output", "-"});
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    const QStringList lines = result.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 3);
    QVERIFY(lines[0].startsWith("id,logits,logistic,probabilities_0,probabilities_1,class_ids,"));
    QVERIFY(lines[1].startsWith("71,"));
    QVERIFY(lines[2].startsWith("\"a,b\","));
}

void TstCommands::predictReadsJsonLines()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const QStringList predict{"predict", "fixture.cannery", "--model-dir", "m",        "--input",
                              "-",       "--output",        "-",           "--format", "jsonl"};
    const ProgramResult fromJson = project.run(predict, R"({"x": 0.5, "y": 1.5, "colour": "red"})"
                                                        "\n");
    QVERIFY2(fromJson.exitCode == 0, qPrintable(fromJson.err));
    const QJsonObject row = json(fromJson);
    QCOMPARE(row["probabilities"].toArray().size(), 2);
    const ProgramResult fromCsv = project.run(predict, "x,y,colour\n0.5,1.5,red\n");
    QCOMPARE(fromCsv.out, fromJson.out);
}

void TstCommands::predictReadsJsonLinesLikeTheTablesOfTheModel()
{
    const ProjectFixture project;
    project.write(
        "table.csv",
        project.read("table.csv").replace(',', ';').replace('.', ',').replace("red", "r\xe4t"));
    project.write("fixture.cannery",
                  project.experiment("\"table.csv\"", "\"table.csv\" field_delim: \";\" "
                                                      "encoding: latin1 decimal_mark: comma"));
    const ProgramResult trained =
        project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QStringList predict{"predict", "fixture.cannery", "--model-dir", "m",        "--input",
                              "-",       "--output",        "-",           "--format", "jsonl"};
    const ProgramResult fromCsv = project.run(predict, "x;y;colour\n0,5;-1,25;r\xe4t\n");
    QVERIFY2(fromCsv.exitCode == 0, qPrintable(fromCsv.err));
    // A JSON number, and one written as in the tables
    for (const char* row : {R"({"x": 0.5, "y": -1.25, "colour": "rät"})",
                            R"({"x": "0,5", "y": "-1,25", "colour": "rät"})"}) {
        const ProgramResult fromJson = project.run(predict, QByteArray(row) + "\n");
        QVERIFY2(fromJson.exitCode == 0, qPrintable(fromJson.err));
        QCOMPARE(fromJson.out, fromCsv.out);
        const QStringList serve{"predict", "fixture.cannery", "--model-dir", "m", "--serve"};
        QCOMPARE(project.run(serve, QByteArray(row) + "\n").out, fromCsv.out);
    }
    QVERIFY(project.run(predict, "x;y;colour\n0,5;1,25;r\xe4t\n").out != fromCsv.out);
}

void TstCommands::predictServesRowsOneByOne()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("label { column: \"label\" }",
                                     "label { column: \"label\" } key_column: \"id\""));
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const QStringList predict{"predict", "fixture.cannery", "--model-dir", "m"};
    const QByteArray good[] = {R"({"id": 71, "x": 0.5, "y": 1, "colour": "red"})",
                               R"({"id": "a,b", "x": "0.1", "y": 2, "colour": "purple"})"};
    const ProgramResult atOnce = project.run(QStringList(predict) << "--format"
                                                                  << "jsonl",
                                             good[0] + "\n" + good[1] + "\n");
    QVERIFY2(atOnce.exitCode == 0, qPrintable(atOnce.err));
    const ProgramResult served =
        project.run(QStringList(predict) << "--serve",
                    good[0] + "\n{\"x\": \"wide\", \"y\": 1}\n\nnot a row\n" + good[1] + "\n");
    QCOMPARE(served.exitCode, 0);
    const QStringList lines = served.out.trimmed().split('\n');
    QCOMPARE(lines.size(), 4);
    QCOMPARE(QStringList({lines[0], lines[3]}), atOnce.out.trimmed().split('\n'));
    QVERIFY2(lines[1].contains("\"predict.cell\"") && lines[1].contains("'wide'"),
             qPrintable(lines[1]));
    QVERIFY2(lines[2].contains("\"predict.bad_row\""), qPrintable(lines[2]));
    QCOMPARE(project
                 .run(QStringList(predict) << "--serve"
                                           << "--input"
                                           << "table.csv")
                 .exitCode,
             2);
}

void TstCommands::evaluationsShowTablesAndSlices()
{
    const ProjectFixture project;
    const ProgramResult trained = project.run({"train", "fixture.cannery", "--quiet", "--set",
                                               "eval_spec.metric=[{ per_class {} }]", "--set",
                                               "eval_spec.slice=[{ columns: [\"colour\"] }]"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult text = project.run({"evaluate", "run-001"});
    QVERIFY2(text.out.contains("\nper_class ") && text.out.contains("\ncolour "),
             qPrintable(text.out));
    QVERIFY(!text.out.contains("per_class/"));
    const QJsonObject evaluated = json(project.run({"evaluate", "run-001", "--json"}));
    const QJsonArray groups = evaluated["slices"][0]["groups"].toArray();
    QVERIFY(groups.size() > 1);
    qint64 rows = 0;
    for (const QJsonValue group : groups) {
        rows += group["rows"].toInteger();
    }
    QCOMPARE(rows, evaluated["rows"].toInteger());
    QCOMPARE(evaluated["tables"][0]["columns"].toArray().size(), 4);
    const QJsonObject shown = json(project.run({"runs", "show", "run-001", "--json"}));
    const QJsonValue last = shown["evaluations"].toArray().last();
    QCOMPARE(last["slices"], evaluated["slices"]);
    QCOMPARE(last["tables"], evaluated["tables"]);
}

void TstCommands::treesExplainTheirPredictions()
{
    const ProjectFixture project;
    writeTrees(project);
    const ProgramResult trained =
        project.run({"train", "trees.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QStringList predict{"predict", "trees.cannery", "--model-dir", "m", "--explain"};
    const QByteArray row = R"({"x": 0.5, "y": 1.5, "colour": "red"})"
                           "\n";
    const ProgramResult explained = project.run(QStringList(predict) << "--format"
                                                                     << "jsonl",
                                                row);
    QVERIFY2(explained.exitCode == 0, qPrintable(explained.err));
    const QJsonObject answer = json(explained);
    const double sum = answer["bias"].toDouble() + answer["dfc/x"].toDouble() +
                       answer["dfc/y"].toDouble() + answer["dfc/colour"].toDouble();
    const double prediction = answer["logistic"].toDouble();
    QVERIFY2(std::abs(sum - prediction) < 1e-6, qPrintable(explained.out));
    QVERIFY(answer["dfc/x"].toDouble() != 0 || answer["dfc/y"].toDouble() != 0);
    QCOMPARE(project.run(QStringList(predict) << "--serve", row).out, explained.out);

    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "n", "--quiet"}).exitCode, 0);
    const ProgramResult unexplained =
        project.run({"predict", "fixture.cannery", "--model-dir", "n", "--explain"}, row);
    QCOMPARE(unexplained.exitCode, 1);
    QVERIFY2(unexplained.err.contains("Only boosted trees"), qPrintable(unexplained.err));
}

void TstCommands::theSameTableInAnotherEncodingGivesTheSameModel()
{
    const ProjectFixture project;
    const QByteArray table = project.read("table.csv");
    QVERIFY(table.contains("red") && !table.contains(';'));
    const QByteArray plain = QByteArray(table).replace("red", "빨강");
    const QByteArray korean = QByteArray(table).replace("red", QByteArray::fromHex("bba1b0ad"));
    QStringEncoder wide(QStringEncoder::Utf16BE, QStringEncoder::Flag::WriteBom);
    const std::vector<std::pair<QByteArray, QByteArray>> variants{
        {plain, ""},
        {QByteArray(wide(QString::fromUtf8(plain))), ""},
        {korean, "encoding: cp949"},
        {QByteArray(korean).replace(',', ';').replace('.', ','),
         "encoding: cp949 decimal_mark: comma"}};
    const QByteArray experiment = project.experiment();
    std::vector<QString> predictions;
    std::vector<QString> metrics;
    for (const auto& [bytes, settings] : variants) {
        project.write("table.csv", bytes);
        project.write("fixture.cannery",
                      QByteArray(experiment).replace("\"table.csv\"", "\"table.csv\" " + settings));
        const QString number = QString::number(predictions.size());
        const QStringList words{"fixture.cannery", "--model-dir", "m" + number};
        const ProgramResult trained = project.run(QStringList{"train"} + words);
        QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
        const QStringList input{"--input", "table.csv", "--output", "-"};
        const ProgramResult predicted = project.run(QStringList{"predict"} + words + input);
        QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
        const ProgramResult evaluated =
            project.run(QStringList{"evaluate"} + words + QStringList{"--data", "table.csv"});
        QVERIFY2(evaluated.exitCode == 0, qPrintable(evaluated.err));
        predictions.push_back(predicted.out);
        metrics.push_back(evaluated.out.section('\n', 1));
        QCOMPARE(predictions.back(), predictions.front());
        QCOMPARE(metrics.back(), metrics.front());
    }
    QVERIFY(predictions.front().count('\n') > 200 && !metrics.front().isEmpty());
}

void TstCommands::runsAreKeptAndNamed()
{
    const ProjectFixture project;
    const QString first =
        json(project.run({"train", "fixture.cannery", "--json"}))["run"].toString();
    const QString second =
        json(project.run({"train", "fixture.cannery", "--json", "--seed", "5"}))["run"].toString();
    QVERIFY(!first.isEmpty() && first != second);
    QCOMPARE(json(project.run({"runs", "--json"}))["runs"].toArray().size(), 2);
    QCOMPARE(project.run({"runs", "rename", first, "my first"}).exitCode, 0);
    QCOMPARE(project.run({"runs", "tag", first, "good", "keep"}).exitCode, 0);
    const QJsonObject shown = json(project.run({"runs", "show", "my first", "--json"}));
    QCOMPARE(shown["run"].toString(), first);
    QCOMPARE(shown["tags"].toArray().size() > 0, true);
    const ProgramResult compared = project.run({"runs", "compare", first, second});
    QVERIFY2(compared.out.contains("run_config.tf_random_seed"), qPrintable(compared.out));
    QCOMPARE(project.run({"runs", "delete", second}).exitCode, 0);
    QCOMPARE(json(project.run({"runs", "--json"}))["runs"].toArray().size(), 1);
    QCOMPARE(project.run({"runs", "restore", second}).exitCode, 0);
    const QByteArray before = project.run({"runs", "show", first, "--json"}).out.toUtf8();
    QVERIFY2(before.contains("my first") && before.contains(first.toUtf8()), before.constData());
    QCOMPARE(project.run({"runs", "rescan"}).exitCode, 0);
    QCOMPARE(project.run({"runs", "show", first, "--json"}).out.toUtf8(), before);
}

void TstCommands::inspectShowsWhatIsInside()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const ProgramResult checkpoint = project.run({"inspect", "m"});
    QCOMPARE(checkpoint.exitCode, 0);
    QVERIFY(checkpoint.out.contains("dnn/hiddenlayer_0/kernel"));
    QCOMPARE(json(project.run({"inspect", "m/model.ckpt-60", "--json"}))["kind"].toString(),
             QString("checkpoint"));
    QCOMPARE(project.run({"inspect", "table.csv"}).exitCode, 0);
}

void TstCommands::evaluateTakesANewFile()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    QByteArray half = project.read("table.csv");
    half.truncate(half.indexOf("\n100,") + 1);
    project.write("half.csv", half);
    const QJsonObject all =
        json(project.run({"evaluate", "fixture.cannery", "--model-dir", "m", "--json"}));
    const QJsonObject some = json(project.run(
        {"evaluate", "fixture.cannery", "--model-dir", "m", "--data", "half.csv", "--json"}));
    QCOMPARE(all["global_step"].toInt(), 60);
    const QJsonValue loss = all["metrics"].toObject()["average_loss"];
    const QJsonValue lossOfHalf = some["metrics"].toObject()["average_loss"];
    QVERIFY(loss.isDouble() && lossOfHalf.isDouble());
    QVERIFY(loss != lossOfHalf);
    const QJsonObject early = json(project.run(
        {"evaluate", "fixture.cannery", "--model-dir", "m", "--checkpoint", "20", "--json"}));
    QCOMPARE(early["global_step"].toInt(), 20);
}

void TstCommands::exportWritesAProgram()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const QStringList exportIt{"export", "fixture.cannery", "--model-dir", "m", "--as", "program"};
    const ProgramResult printed = project.run(exportIt);
    QVERIFY2(printed.exitCode == 0, qPrintable(printed.err));
    QVERIFY2(printed.out.contains("tf.estimator.DNNClassifier("), qPrintable(printed.out));
    const ProgramResult written = project.run(QStringList(exportIt) << "--output"
                                                                    << "program.py");
    QVERIFY2(written.exitCode == 0, qPrintable(written.err));
    QVERIFY(project.read("program.py").contains("tf.estimator.DNNClassifier("));
}

void TstCommands::groupsAreFoundWithoutALabel()
{
    const ProjectFixture project;
    const ProgramResult asked = project.run({"new", "table.csv", "--output", "none.cannery"});
    QCOMPARE(asked.exitCode, 2);
    QVERIFY2(asked.err.contains("--estimator kmeans"), qPrintable(asked.err));
    QCOMPARE(
        project.run({"new", "table.csv", "--label", "label", "--estimator", "kmeans"}).exitCode, 2);
    const ProgramResult made =
        project.run({"new", "table.csv", "--estimator", "kmeans", "--leave-out", "label"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QByteArray text = project.read("table.cannery");
    QVERIFY2(text.contains("kmeans {") && !text.contains("label {"), text);
    const ProgramResult trained = project.run({"train", "table.cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

CANNERY_TEST(TstCommands)
#include "tst_commands.moc"
