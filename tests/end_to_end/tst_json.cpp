// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

using namespace cannery::tests;

namespace {

QJsonObject byName(const QJsonArray& list, const QString& name)
{
    for (const QJsonValue& value : list) {
        if (value.toObject()["name"].toString() == name) {
            return value.toObject();
        }
    }
    return {};
}

} // namespace

/// The command line's machine-readable output: one JSON object with stable keys and ids.
class TstJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDryRunGuessesTheLabelAndWritesNothing();
    void labelsOfExamplesAreGuessed_data();
    void labelsOfExamplesAreGuessed();
    void aTableWithoutLabelIsAProblem();
    void aLabelThatCannotBeIsAProblem();
    void newSaysWhatItWrote();
    void newReadsWhatItIsToldHow_data();
    void newReadsWhatItIsToldHow();
    void problemsHaveStableIdsAndPlaces();
    void planCountsLayersAndParameters();
    void previewKnowsTheColumns();
    void aLookAtATableReadsItsFirstRows();
    void aLookShowsWhatAChangeWouldDo();
    void predictionsAreReported();
    void exportsAreVerified_data();
    void exportsAreVerified();
    void exportsForEvaluationHaveLossAndMetrics();
    void progressIsToldAsLines_data();
    void progressIsToldAsLines();
    void failuresAreJsonToo_data();
    void failuresAreJsonToo();
    void doctorNamesTheKernelsAndWhy();
    void aLevelThatIsNoneIsRefused();
};

void TstJson::aDryRunGuessesTheLabelAndWritesNothing()
{
    const ProjectFixture project;
    const ProgramResult dry = project.run({"new", "table.csv", "--dry-run", "--json"});
    QVERIFY2(dry.exitCode == 0, qPrintable(dry.err));
    const QJsonObject facts = json(dry);
    QCOMPARE(facts["label"].toObject()["guess"].toString(), QStringLiteral("label"));
    QVERIFY(facts["label"].toObject()["confidence"].toDouble() > 0.8);
    QVERIFY(!facts["label"].toObject()["reason"].toString().isEmpty());
    QCOMPARE(facts["rows"].toInt(), 200);
    const QJsonObject colour = byName(facts["columns"].toArray(), "colour");
    QCOMPARE(colour["type"].toString(), QStringLiteral("category"));
    QCOMPARE(colour["distinct"].toInt(), 3);
    QCOMPARE(colour["missing"].toInt(), 0);
    QVERIFY(facts["experiment_text"].toString().contains("dnn_linear_combined_classifier"));
    QCOMPARE(facts["problems"].toArray()[0].toObject()["id"].toString(),
             QStringLiteral("new.left_out"));
    QVERIFY(!facts.contains("experiment"));
    QVERIFY(!project.exists("table.cannery"));
}

void TstJson::labelsOfExamplesAreGuessed_data()
{
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("label");
    QTest::newRow("auto_mpg") << "auto_mpg.csv"
                              << "mpg";
    QTest::newRow("census") << "census_train.csv"
                            << "income_bracket";
    QTest::newRow("digits") << "digits.csv"
                            << "label";
    QTest::newRow("penguins") << "penguins.csv"
                              << "species";
    QTest::newRow("titanic") << "titanic_train.csv"
                             << "survived";
}

void TstJson::labelsOfExamplesAreGuessed()
{
    QFETCH(QString, table);
    QFETCH(QString, label);
    const ProjectFixture project;
    copyExample(QTest::currentDataTag(), project.path("example"));
    const QJsonObject facts = json(project.run({"new", "example/" + table, "--dry-run", "--json"}));
    QCOMPARE(facts["label"].toObject()["guess"].toString(), label);
    QVERIFY(!facts["experiment_text"].toString().isEmpty());
}

void TstJson::aTableWithoutLabelIsAProblem()
{
    const ProjectFixture project;
    project.write("same.csv", "a,b\n1,x\n1,x\n1,x\n");
    const ProgramResult dry = project.run({"new", "same.csv", "--dry-run", "--json"});
    QCOMPARE(dry.exitCode, 0);
    QCOMPARE(json(dry)["label"].toObject()["guess"].toString(), QString());
    const QJsonObject problem = json(dry)["problems"].toArray()[0].toObject();
    QCOMPARE(problem["id"].toString(), QStringLiteral("new.no_label"));
    QCOMPARE(problem["level"].toString(), QStringLiteral("error"));
    QCOMPARE(json(dry)["experiment_text"].toString(), QString());
    QVERIFY(project.run({"new", "same.csv", "--label", "", "--json"}).exitCode != 0);
    QVERIFY(!project.exists("same.cannery"));
}

void TstJson::aLabelThatCannotBeIsAProblem()
{
    const ProjectFixture project;
    project.write("gap.csv", "a,b,c\n1,x,2\n3,,3\n4,x,1\n5,x,2\n");
    const ProgramResult dry =
        project.run({"new", "gap.csv", "--dry-run", "--json", "--label", "b"});
    QCOMPARE(dry.exitCode, 0);
    QCOMPARE(json(dry)["problems"].toArray()[0].toObject()["id"].toString(),
             QStringLiteral("data.label_empty"));
    QCOMPARE(project.run({"new", "gap.csv", "--json", "--label", "b"}).exitCode, 3);
}

void TstJson::newSaysWhatItWrote()
{
    const ProjectFixture project;
    const ProgramResult made = project.run({"new", "table.csv", "--label", "label", "--json"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QCOMPARE(json(made)["experiment"].toString(), QStringLiteral("table.cannery"));
    QCOMPARE(QString::fromUtf8(project.read("table.cannery")),
             json(made)["experiment_text"].toString());
    for (const QStringList& options : {QStringList{}, QStringList{"--estimator", "linear"}}) {
        const QStringList words =
            QStringList{"new",   "table.csv", "--label",
                        "label", "--output",  "same" + options.join("") + ".cannery"} +
            options;
        const ProgramResult dry = project.run(words + QStringList{"--dry-run"});
        const ProgramResult told = project.run(words + QStringList{"--dry-run", "--json"});
        QVERIFY(!project.exists(words[5]));
        QCOMPARE(project.run(words).exitCode, 0);
        QCOMPARE(dry.out.toUtf8(), project.read(words[5]));
        QCOMPARE(json(told)["experiment_text"].toString().toUtf8(), project.read(words[5]));
    }
    const ProgramResult unsaid = project.run({"new", "table.csv", "--output", "b.cannery"});
    QCOMPARE(unsaid.exitCode, 2);
    QVERIFY2(unsaid.err.contains("It looks like 'label'"), qPrintable(unsaid.err));
}

void TstJson::newReadsWhatItIsToldHow_data()
{
    QTest::addColumn<QByteArray>("table");
    QTest::addColumn<QString>("cure"); ///< named by the error without the option
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<QString>("field"); ///< of the experiment that stores the choice
    const QByteArray rows = "1,2\n3,4\n1,5\n3,6\n1,7\n3,8\n";
    QTest::newRow("bad rows") << QByteArray("a,b\n" + rows + "7,8,9\n") << "give --skip-bad-rows"
                              << QStringList{"--skip-bad-rows"} << "bad_rows: SKIP";
    QTest::newRow("CP949") << QByteArray("a,b\n" + rows + "1,\xb5\xb5\xbd\xc3\n")
                           << "give with --encoding the one it was saved in"
                           << QStringList{"--encoding", "cp949"} << "encoding: cp949";
    QTest::newRow("UTF-16") << QByteArray("\xFF\xFE"
                                          "a\0,\0b\0\n\0",
                                          10) +
                                   QByteArray("1\0,\0"
                                              "2\0\n\0"
                                              "3\0,\0"
                                              "4\0\n\0",
                                              16)
                                       .repeated(3)
                            << QString() << QStringList{} << "encoding: utf16";
    QTest::newRow("decimal comma") << QByteArray("a;b\n1;2,5\n3;4\n1;5,25\n3;6\n1;7,5\n3;8\n")
                                   << QString() << QStringList{} << "decimal_mark: comma";
    QTest::newRow("decimal point")
        << QByteArray("a;b\n1;2,5\n3;4\n1;5,25\n3;6\n1;7,5\n3;8\n") << QString()
        << QStringList{"--decimal-mark", "point"} << "decimal_mark: point";
    QTest::newRow("delimiter") << QByteArray("a|b\n1|2\n3|4\n1|5\n3|6\n1|7\n3|8\n") << QString()
                               << QStringList{"--delimiter", "|"} << "field_delim: \"|\"";
}

void TstJson::newReadsWhatItIsToldHow()
{
    QFETCH(QByteArray, table);
    QFETCH(QString, cure);
    QFETCH(QStringList, options);
    QFETCH(QString, field);
    const ProjectFixture project;
    project.write("odd.csv", table);
    const QStringList words{"new", "odd.csv", "--dry-run", "--json", "--label", "a"};
    if (!cure.isEmpty()) {
        const ProgramResult refused = project.run(words);
        QCOMPARE(refused.exitCode, 3);
        const QString sentence = json(refused)["error"].toObject()["sentence"].toString();
        QVERIFY2(sentence.contains(cure), qPrintable(sentence));
        QVERIFY2(!sentence.contains("bad_rows"), qPrintable(sentence));
    }
    const QString text = json(project.run(words + options))["experiment_text"].toString();
    QVERIFY2(text.contains(field), qPrintable(text));
    QCOMPARE(text.count("Read with " + field), options.isEmpty() ? 1 : 0); // one reason
}

void TstJson::problemsHaveStableIdsAndPlaces()
{
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment("dropout: 0.1", "dropout: 1.5"));
    const ProgramResult checked = project.run({"check", "fixture.cannery", "--json"});
    QCOMPARE(checked.exitCode, 3);
    const QJsonObject problem = json(checked)["problems"].toArray()[0].toObject();
    QVERIFY(problem["id"].toString().startsWith("spec."));
    QCOMPARE(problem["level"].toString(), QStringLiteral("error"));
    QCOMPARE(problem["file"].toString(), QStringLiteral("fixture.cannery"));
    QCOMPARE(problem["path"].toString(), QStringLiteral("estimator.dnn_classifier.dropout"));
    QVERIFY(problem["line"].toInt() > 0 && problem["column"].toInt() > 0);
    QVERIFY(problem["sentence"].toString().contains("1.5"));
    QVERIFY(problem["arguments"].isArray());
    QCOMPARE(json(checked)["facts"].toObject()["estimator"].toString(),
             QStringLiteral("dnn_classifier"));
}

void TstJson::planCountsLayersAndParameters()
{
    const ProjectFixture project;
    const ProgramResult planned = project.run({"plan", "fixture.cannery", "--json"});
    QVERIFY2(planned.exitCode == 0, qPrintable(planned.err));
    const QJsonObject plan = json(planned);
    const QJsonObject hidden = byName(plan["layers"].toArray(), "dnn/hiddenlayer_0");
    QCOMPARE(hidden["type"].toString(), QStringLiteral("dense"));
    QCOMPARE(hidden["shape"].toArray(), QJsonArray{8});
    QCOMPARE(hidden["parameters"].toInt(), 7 * 8 + 8); // x, y, 3 colours, embedding of 2
    QCOMPARE(plan["parameters"].toInt(), 3 * 2 + 64 + (8 * 4 + 4) + (4 + 1));
    QCOMPARE(plan["deep_inputs"].toInt(), 7);
    QCOMPARE(plan["train_rows"].toInt(), 200);
    QVERIFY(plan["memory_bytes"].toInt() > 4 * plan["parameters"].toInt());
    QVERIFY(plan["estimated_seconds"].toDouble() > 0);
    QVERIFY(plan["estimated_seconds_low"].toDouble() <= plan["estimated_seconds"].toDouble());
    QVERIFY(plan["estimated_seconds_high"].toDouble() >= plan["estimated_seconds"].toDouble());
    QVERIFY(plan["program_bytes"].toInteger() > 1'000'000);
    QVERIFY(plan["measured_bytes"].toInteger() >= plan["program_bytes"].toInteger());
    QCOMPARE(plan["measured_rows"].toInt(), 200);
    QCOMPARE(plan["learning_rates"].toArray()[0].toObject()["rates"].toArray().size(), 2);
    QVERIFY2(!project.exists("runs"), "measuring leaves something behind");
    const QJsonObject unmeasured =
        json(project.run({"plan", "fixture.cannery", "--json", "--no-measure"}));
    QVERIFY(unmeasured["estimated_seconds"].isNull());
    QVERIFY(project.run({"plan", "fixture.cannery"}).out.contains("dnn/hiddenlayer_1"));
}

void TstJson::previewKnowsTheColumns()
{
    const ProjectFixture project;
    const ProgramResult shown = project.run({"preview", "fixture.cannery", "--json"});
    QVERIFY2(shown.exitCode == 0, qPrintable(shown.err));
    const QJsonObject preview = json(shown);
    QCOMPARE(preview["rows"].toArray().size(), 200);
    QCOMPARE(preview["texts"].toArray().size(), 200);
    QCOMPARE(preview["label"].toString(), QStringLiteral("label"));
    QCOMPARE(preview["sources"].toObject()["eval"].toObject()["rows"].toInt(), 200);
    QVERIFY(preview["feature_columns"].toObject()["columns"].isArray());
    const QJsonArray columns = preview["columns"].toArray();
    QCOMPARE(byName(columns, "id")["use"].toString(), QStringLiteral("ignored"));
    QCOMPARE(byName(columns, "label")["use"].toString(), QStringLiteral("label"));
    const QJsonObject x = byName(columns, "x");
    QCOMPARE(x["use"].toString(), QStringLiteral("feature"));
    QCOMPARE(x["type"].toString(), QStringLiteral("number"));
    QCOMPARE(x["min"].toDouble(), -1.0);
    QVERIFY(x.contains("median") && x.contains("sd"));
    QCOMPARE(x.value("quantiles").toArray().size(), 101);
    const QJsonObject bars = byName(columns, "colour")["histogram"].toObject();
    QCOMPARE(bars["labels"].toArray().size(), 3);
    QCOMPARE(bars["counts"].toArray()[0].toInt(), 67);
}

void TstJson::aLookAtATableReadsItsFirstRows()
{
    const ProjectFixture project;
    // A row that cannot be read, far behind those that are looked at: nothing reads so far.
    project.write("long.csv",
                  QByteArray("x,city\n") + QByteArray("1,Oslo\n").repeated(4'000'000) + "1,2,3\n");
    const ProgramResult looked = project.run({"preview", "long.csv", "--first-rows", "--json"});
    QVERIFY2(looked.exitCode == 0, qPrintable(looked.err));
    const QJsonObject facts = json(looked);
    QCOMPARE(facts["texts"].toArray().size(), 200);
    QCOMPARE(facts["texts"].toArray()[0].toArray(), (QJsonArray{"1", "Oslo"}));
    QCOMPARE(byName(facts["columns"].toArray(), "x")["dtype"].toString(), "int32");
    QCOMPARE(facts["bad_rows"].toObject()["count"].toInt(), 0);
    const ProgramResult few = project.run({"preview", "long.csv", "--first-rows", "--rows", "2"});
    QVERIFY2(few.out.endsWith("x | city\n1 | Oslo\n1 | Oslo\n"), qPrintable(few.out));
    QVERIFY2(few.out.contains("field_delim: , (a comma cuts"), qPrintable(few.out));
}

void TstJson::aLookShowsWhatAChangeWouldDo()
{
    const ProjectFixture project;
    // "도시;가격", "서울;1,5" in CP949, and a row with one field too many.
    project.write("k.csv",
                  QByteArray::fromHex("b5b5bdc33bb0a1b0dd0abcadbfef3b312c350a") + "a;2,5;3\n");
    project.write("k.cannery",
                  "data { train { csv { files: \"k.csv\" } } label { column: \"price\" } }\n"
                  "estimator { linear_regressor { feature_columns: \"nothing\" } }\n");
    const ProgramResult plain = project.run({"preview", "k.cannery", "--first-rows", "--json"});
    QCOMPARE(plain.exitCode, 3);
    QCOMPARE(json(plain)["error"].toObject()["id"].toString(), "csv.name_not_utf8");
    const QStringList encoding{"--set", "data.train.csv.encoding=cp949"};
    for (const char* file : {"k.cannery", "k.csv"}) {
        const QStringList words{"preview", file, "--first-rows", "--json"};
        const QJsonObject told = json(project.run(words + encoding));
        QCOMPARE(told["texts"].toArray(), (QJsonArray{QJsonArray{"서울", "1,5"}}));
        const QJsonObject bad = told["bad_rows"].toObject();
        QCOMPARE(bad["count"].toInt(), 1);
        QVERIFY(bad["sentences"].toArray()[0].toString().contains(":3: 3 fields instead of 2"));
        const QJsonObject mark = told["settings"].toArray()[3].toObject();
        QCOMPARE(mark["field"].toString(), "decimal_mark");
        QCOMPARE(mark["value"].toString(), "comma");
        QVERIFY(mark["suggested"].toBool());
        const QJsonObject changed = json(project.run(
            words + encoding + QStringList{"--set", "data.train.csv.decimal_mark=comma"}));
        QCOMPARE(byName(changed["columns"].toArray(), "가격")["dtype"].toString(), "float32");
        const ProgramResult refused =
            project.run(words + QStringList{"--set", "data.train.csv.encoding=ebcdic"});
        QVERIFY(refused.exitCode != 0);
        QVERIFY(json(refused)["error"].toObject()["sentence"].toString().contains("gb18030"));
    }
}

void TstJson::predictionsAreReported()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--quiet"}).exitCode, 0);
    const ProgramResult predicted =
        project.run({"predict", "latest", "--data", "table.csv", "--output", "out.csv", "--json"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QCOMPARE(json(predicted)["rows"].toInt(), 200);
    QCOMPARE(json(predicted)["path"].toString(), QStringLiteral("out.csv"));
    QCOMPARE(project.read("out.csv").count('\n'), 201);
    QCOMPARE(project.run({"predict", "latest", "--data", "table.csv", "--json"}).exitCode, 2);
}

void TstJson::exportsAreVerified_data()
{
    QTest::addColumn<QString>("receiver");
    QTest::newRow("examples") << "parsing";
    QTest::newRow("tensors") << "raw";
}

void TstJson::exportsAreVerified()
{
    QFETCH(QString, receiver);
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--quiet"}).exitCode, 0);
    const QStringList command{"export", "latest", "--output", "served", "--receiver", receiver};
    const ProgramResult exported = project.run(command + QStringList{"--json"});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    const QJsonObject facts = json(exported);
    QVERIFY(project.exists(facts["path"].toString() + "/saved_model.pb"));
    QVERIFY(facts["bytes"].toInt() > 1000);
    QCOMPARE(facts["verification"].toObject()["rows"].toInt(), 20);
    QCOMPARE(facts["verification"].toObject()["equal"].toInt(), 20);
    QVERIFY(facts["verification"].toObject()["max_difference"].toDouble() < 1e-5);
    const QJsonObject predict = byName(facts["signatures"].toArray(), "predict");
    QCOMPARE(predict["method"].toString(), QStringLiteral("tensorflow/serving/predict"));
    const QJsonObject probabilities = byName(predict["outputs"].toArray(), "probabilities");
    QCOMPARE(probabilities["shape"].toArray(), (QJsonArray{-1, 2}));
    QVERIFY(project.run(command).err.contains("20 of 20 predictions agree"));
    const ProgramResult unverified = project.run(command + QStringList{"--json", "--no-verify"});
    QVERIFY(!json(unverified).contains("verification"));
    QCOMPARE(QDir(project.path("served")).entryList(QDir::Dirs | QDir::NoDotAndDotDot).size(), 3);
}

void TstJson::exportsForEvaluationHaveLossAndMetrics()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--quiet"}).exitCode, 0);
    const ProgramResult exported =
        project.run({"export", "latest", "--output", "served", "--modes", "all", "--json"});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    const QJsonObject facts = json(exported);
    QVERIFY(facts["verification"].toObject()["metrics"].toInt() > 5);
    const QJsonArray signatures = facts["signatures"].toArray();
    QCOMPARE(byName(signatures, "eval")["method"].toString(),
             QStringLiteral("tensorflow/supervised/eval"));
    QVERIFY(
        !byName(byName(signatures, "eval")["outputs"].toArray(), "metrics/auc/value").isEmpty());
    QVERIFY(!byName(byName(signatures, "train")["inputs"].toArray(), "label").isEmpty());
    // Its variables are a checkpoint of the experiment.
    const QString path = facts["path"].toString();
    const QStringList evaluate{"evaluate", "fixture.cannery", "--model-dir", path, "--json"};
    const QJsonValue metrics = json(project.run(evaluate))["metrics"];
    QVERIFY(!metrics.isUndefined());
    QCOMPARE(metrics, json(project.run({"evaluate", "latest", "--json"}))["metrics"]);
    const ProgramResult alone = project.run({"evaluate", path});
    QVERIFY(alone.exitCode != 0);
    QVERIFY2(alone.err.contains("is a SavedModel, which does not say which table and label"),
             qPrintable(alone.err));
}

void TstJson::progressIsToldAsLines_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::newRow("predict") << QStringList{"predict",   "latest",   "--data",
                                            "table.csv", "--output", "out.csv"};
    QTest::newRow("evaluate") << QStringList{"evaluate", "latest"};
    QTest::newRow("export") << QStringList{"export", "latest", "--output", "served"};
    QTest::newRow("preview") << QStringList{"preview", "fixture.cannery", "--json"};
    QTest::newRow("plan") << QStringList{"plan", "fixture.cannery"};
}

void TstJson::progressIsToldAsLines()
{
    QFETCH(QStringList, command);
    const ProjectFixture project;
    if (command.contains("latest")) {
        QCOMPARE(project.run({"train", "fixture.cannery", "--quiet"}).exitCode, 0);
    }
    const ProgramResult result = project.run(command + QStringList{"--progress", "json"});
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    const QJsonObject line =
        QJsonDocument::fromJson(result.err.section('\n', 0, 0).toUtf8()).object();
    QVERIFY2(line["progress"].isDouble() && line["message"].isString(), qPrintable(result.err));
    QVERIFY(line["progress"].toDouble() <= 1);
}

void TstJson::failuresAreJsonToo_data()
{
    QTest::addColumn<QStringList>("command");
    QTest::addColumn<QString>("id");
    QTest::newRow("no file") << QStringList{"check", "--json"} << "command.usage";
    QTest::newRow("unknown option") << QStringList{"runs", "--json", "--bogus"} << "command.usage";
    QTest::newRow("missing experiment")
        << QStringList{"plan", "nothing.cannery", "--json"} << "spec.file_missing";
    QTest::newRow("missing table")
        << QStringList{"new", "nothing.csv", "--json", "--dry-run"} << "csv.no_such_files";
    QTest::newRow("no runs") << QStringList{"export", "latest", "--json", "--output", "x"}
                             << "runs.none";
    QTest::newRow("missing data") << QStringList{"train", "fixture.cannery", "--json", "--set",
                                                 "data.train.csv.files=nothing.csv"}
                                  << "csv.no_such_files";
}

void TstJson::failuresAreJsonToo()
{
    QFETCH(QStringList, command);
    QFETCH(QString, id);
    const ProjectFixture project;
    const ProgramResult result = project.run(command);
    QVERIFY(result.exitCode != 0);
    const QJsonObject failure = json(result)["error"].toObject();
    QCOMPARE(failure["id"].toString(), id);
    QVERIFY(!failure["sentence"].toString().isEmpty());
    QVERIFY(failure["notes"].isArray());
    QVERIFY2(result.err.contains("error: "), qPrintable(result.err));
}

void TstJson::doctorNamesTheKernelsAndWhy()
{
    const ProjectFixture project;
    const QJsonObject free = json(project.run({"doctor", "--json"}));
    QVERIFY(free["threads"].toInt() >= 1);
    const bool wide = free["level_of_processor"].toString() == QStringLiteral("x86-64-v4");
    QVERIFY(free["kernels"].toArray().size() > 5);
    for (const QJsonValue& choice : free["kernels"].toArray()) {
        QVERIFY(!choice.toObject()["kernel"].toString().isEmpty());
        QVERIFY(choice.toObject()["kernel"].toString() != QStringLiteral("reference"));
    }
    qputenv("CANNERY_CPU_LEVEL", "x86-64-v3");
    const QJsonObject capped = json(project.run({"doctor", "--json"}));
    const ProgramResult text = project.run({"doctor"});
    qunsetenv("CANNERY_CPU_LEVEL");
    QCOMPARE(capped["level_in_use"].toString(), QStringLiteral("x86-64-v3"));
    const QJsonObject matmul = capped["kernels"].toArray()[0].toObject();
    QCOMPARE(matmul["operation"].toString(), QStringLiteral("matmul"));
    QCOMPARE(matmul["kernel"].toString(), QStringLiteral("packed avx2"));
    const QJsonObject refused = matmul["passed_over"].toArray()[1].toObject();
    QCOMPARE(refused["kernel"].toString(), QStringLiteral("packed avx512"));
    QVERIFY(refused["reason"].toString().contains("AVX-512"));
    QVERIFY(text.out.contains("not packed avx512: it needs"));
    QCOMPARE(capped["level"].toString().contains("capped by CANNERY_CPU_LEVEL"), wide);
}

void TstJson::aLevelThatIsNoneIsRefused()
{
    const ProjectFixture project;
    qputenv("CANNERY_CPU_LEVEL", "avx2");
    const ProgramResult result = project.run({"doctor"});
    qunsetenv("CANNERY_CPU_LEVEL");
    QCOMPARE(result.exitCode, 1);
    QVERIFY2(result.err.contains("CANNERY_CPU_LEVEL is neither x86-64-v3 nor x86-64-v4"),
             qPrintable(result.err));
}

CANNERY_TEST(TstJson)
#include "tst_json.moc"
