// SPDX-License-Identifier: Apache-2.0
#include "storage/tf/example_wire.h"
#include "storage/tf/record_file.h"
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <cstdint>
#include <string_view>
#include <vector>

using namespace cannery;
using namespace cannery::tests;

namespace {

/// Two records with lists of each kind; the second has one number and nothing else.
void writeLists(const QString& path)
{
    auto writer = storage::RecordWriter::create(path.toStdString(), storage::Compression::None);
    storage::ExampleWriter example;
    const std::vector<float> floats{0.5F, 2};
    const std::vector<std::int64_t> ids{7, -8};
    const std::vector<std::string_view> words{"a", "b c"};
    example.addFloats("floats", floats);
    example.addIntegers("ids", ids);
    example.addTexts("words", words);
    const bool isFirst = writer && writer->write(example.finish());
    const std::int64_t one = 9;
    example.addIntegers("ids", {&one, 1});
    if (!isFirst || !writer->write(example.finish()) || !writer->close()) {
        qFatal("cannot write the test's records");
    }
}

} // namespace

/// Tables in other formats, and their schemas.
class TstConvert : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsEveryCell();
    void cellsOfTextsAreCopied();
    void codesAndLargeNumbersAreTextsInRecords();
    void tellsOfDigitsThatAreLost();
    void mergedExamplesKeepAllFeatures();
    void aStoppedConversionLeavesNothing();
    void overwritesNothing();
    void createsMissingFolders();
    void listsStayLists();
    void validateFindsWhatTheSchemaLacks();
    void validateComparesTheSplitsOfAFolder();
    void aFolderOfSplitsIsOneExperiment();
};

void TstConvert::keepsEveryCell()
{
    const ProjectFixture project;
    const ProgramResult records = project.run({"convert", "table.csv", "copy.tfrecord.gz"});
    QVERIFY2(records.exitCode == 0, qPrintable(records.err));
    QVERIFY(project.read("schema.pbtxt").contains("name: \"colour\""));
    const ProgramResult back = project.run({"convert", "copy.tfrecord.gz", "back.csv", "--json"});
    QVERIFY2(back.exitCode == 0, qPrintable(back.err));
    QCOMPARE(json(back)["rows"].toInt(), 200);
    const QByteArrayList before = project.read("table.csv").trimmed().split('\n');
    const QByteArrayList after = project.read("back.csv").trimmed().split('\n');
    QCOMPARE(after.size(), before.size());
    const QByteArrayList names = before[0].split(',');
    const QByteArrayList namesAfter = after[0].split(',');
    QCOMPARE(namesAfter.size(), names.size());
    for (qsizetype row = 1; row < before.size(); ++row) {
        const QByteArrayList cells = after[row].split(',');
        for (qsizetype i = 0; i < names.size(); ++i) {
            const QByteArray& cell = cells[namesAfter.indexOf(names[i])];
            const QByteArray wanted = before[row].split(',')[i];
            QVERIFY2(cell == wanted || cell.toFloat() == wanted.toFloat(), cell + " for " + wanted);
        }
    }
}

void TstConvert::cellsOfTextsAreCopied()
{
    const ProjectFixture project;
    const QByteArray text = "zip,phone,amount,on,note\n"
                            "05123,+4916,12345671.110,TRUE,\"a, \"\"b\"\"\"\n"
                            "1e300,1e0,NA,,-\n"
                            "1,2,3,4, x \n";
    project.write("in.csv", text);
    QCOMPARE(project.run({"convert", "in.csv", "out.csv"}).exitCode, 0);
    QCOMPARE(project.read("out.csv"), text);
    // A row without any value stays a row.
    project.write("gaps.csv", "a;b\n1;2\n\"\";\n3;4\n");
    QCOMPARE(project.run({"convert", "gaps.csv", "whole.csv"}).exitCode, 0);
    QCOMPARE(project.read("whole.csv"), QByteArray("a,b\n1,2\n\"\",\n3,4\n"));
    QCOMPARE(json(project.run({"convert", "whole.csv", "again.csv", "--json"}))["rows"].toInt(), 3);
}

void TstConvert::codesAndLargeNumbersAreTextsInRecords()
{
    const ProjectFixture project;
    const QByteArray text = "code,plus,large,n\n1,+1,1e300,1\n002,2,2.5,2\n3,3,3,3\n";
    project.write("in.csv", text);
    QCOMPARE(project.run({"convert", "in.csv", "out.tfrecord"}).exitCode, 0);
    QVERIFY(project.read("schema.pbtxt").count("BYTES") == 3);
    QCOMPARE(project.run({"convert", "out.tfrecord", "back.csv"}).exitCode, 0);
    QCOMPARE(project.read("back.csv"),
             QByteArray("code,large,n,plus\n1,1e300,1,+1\n002,2.5,2,2\n3,3,3,3\n"));
}

void TstConvert::tellsOfDigitsThatAreLost()
{
    const ProjectFixture project;
    project.write("in.csv", "amount,share\n27579941.00,0.1\n51641367.01,0.25\n2.5,0.123456\n");
    const ProgramResult made = project.run({"convert", "in.csv", "out.tfrecord"});
    QCOMPARE(made.exitCode, 0);
    QVERIFY2(made.err.contains("column amount: 2 of 3 numbers lose digits"), qPrintable(made.err));
    QVERIFY2(!made.err.contains("column share"), qPrintable(made.err));
}

void TstConvert::mergedExamplesKeepAllFeatures()
{
    const ProjectFixture project;
    auto writer = storage::RecordWriter::create(project.path("merged.tfrecord").toStdString(),
                                                storage::Compression::None);
    storage::ExampleWriter example;
    const std::vector<std::int64_t> one{1};
    example.addIntegers("a", one);
    std::string merged(example.finish());
    example.addIntegers("b", one);
    merged += example.finish();
    QVERIFY(writer && writer->write(merged) && writer->close());
    QCOMPARE(project.run({"convert", "merged.tfrecord", "out.csv"}).exitCode, 0);
    QCOMPARE(project.read("out.csv"), QByteArray("a,b\n1,1\n"));
}

void TstConvert::aStoppedConversionLeavesNothing()
{
    const ProjectFixture project;
    QByteArray rows = "x,y\n";
    while (rows.size() < 60'000'000) {
        rows += "0.123456,some text of a row\n";
    }
    project.write("large.csv", rows);
    const auto names = [&] {
        return QDir(project.path(".")).entryList(QDir::Files | QDir::Hidden, QDir::Name);
    };
    const QStringList before = names();
    for (const char* out : {"out.csv", "out.tfrecord"}) {
        const auto program = project.start({"convert", "large.csv", out});
        QTRY_VERIFY_WITH_TIMEOUT(names() != before, 60'000); // its temporary file
        program->terminate();
        QVERIFY(program->waitForFinished());
        QCOMPARE(program->exitCode(), 143);
        QCOMPARE(names(), before);
    }
}

void TstConvert::overwritesNothing()
{
    const ProjectFixture project;
    const QByteArray before = project.read("table.csv");
    QCOMPARE(project.run({"convert", "table.csv", "copy.tfrecord"}).exitCode, 0);
    const ProgramResult refused = project.run({"convert", "copy.tfrecord", "table.csv"});
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("never overwrites"), qPrintable(refused.err));
    QCOMPARE(project.read("table.csv"), before);
    QVERIFY(project.run({"convert", "table.csv", "table.xlsx"}).exitCode != 0);
    QVERIFY(!project.exists("table.xlsx"));
}

void TstConvert::createsMissingFolders()
{
    const ProjectFixture project;
    const ProgramResult made = project.run(
        {"convert", "table.csv", "a/b/copy.tfrecord", "--schema", "schemas/new/schema.pbtxt"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    QVERIFY(project.exists("a/b/copy.tfrecord") && project.exists("schemas/new/schema.pbtxt"));
    QCOMPARE(project.run({"convert", "a/b/copy.tfrecord", "c/d/back.csv"}).exitCode, 0);
    QVERIFY(project.exists("c/d/back.csv"));
    QCOMPARE(project.run({"convert", "table.csv", "e/table.xlsx"}).exitCode, 2);
    QVERIFY(!project.exists("e"));
}

void TstConvert::listsStayLists()
{
    const ProjectFixture project;
    writeLists(project.path("lists.tfrecord"));
    QCOMPARE(project.run({"convert", "lists.tfrecord", "copy/data.tfrecord.gz"}).exitCode, 0);
    QVERIFY(project.read("copy/schema.pbtxt").contains("value_count"));
    // The schema in the folder says that `ids` are lists, even where each has one value.
    for (const char* copy : {"lists.tfrecord", "copy"}) {
        const QString csv = QString("%1-back.csv").arg(copy);
        QCOMPARE(project.run({"convert", copy, csv}).exitCode, 0);
        QCOMPARE(project.read(csv), QByteArray("floats,ids,words\n0.5|2,7|-8,a|b c\n,9,\n"));
    }
}

void TstConvert::validateComparesTheSplitsOfAFolder()
{
    const ProjectFixture project;
    const auto records = [&](const char* split, const QByteArray& table) {
        project.write(QString("%1.csv").arg(split), table);
        const QString folder = QString("examples/Split-%1").arg(split);
        const ProgramResult made =
            project.run({"convert", QString("%1.csv").arg(split), folder + "/data_tfrecord.gz",
                         "--schema", folder + "/ignored.pbtxt"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    };
    records("train", "c,n\nx,1\nx,2\nx,3\ny,4\n");
    records("eval", "c,n\nx,1\ny,2\ny,3\ny,4\n");
    const ProgramResult without = project.run({"validate", "examples"});
    QCOMPARE(without.exitCode, 0);
    QVERIFY2(without.out.contains("Compared with no schema"), qPrintable(without.out));
    const QByteArray schema("feature { name: 'c' type: BYTES presence { min_count: 1 }"
                            " skew_comparator { infinity_norm { threshold: %1 } } }"
                            "feature { name: 'n' type: INT }"
                            "feature { name: 'label' presence { min_count: 1 }"
                            " not_in_environment: 'SERVING' }"
                            "default_environment: 'TRAINING' default_environment: 'SERVING'");
    project.write("examples/schema.pbtxt", QByteArray(schema).replace("%1", "0.6"));
    const ProgramResult sound = project.run({"validate", "examples", "--environment", "SERVING"});
    QVERIFY2(sound.exitCode == 0, qPrintable(sound.out + sound.err));
    QVERIFY2(sound.out.contains("No anomalies: the rows are as examples/schema.pbtxt says."),
             qPrintable(sound.out));
    QVERIFY2(project.run({"validate", "examples"}).out.contains("feature label is missing"),
             "of no environment");
    QCOMPARE(project.run({"validate", "examples", "--environment", "LAB"}).exitCode, 2);
    project.write("examples/schema.pbtxt", QByteArray(schema).replace("%1", "0.4"));
    const ProgramResult skewed =
        project.run({"validate", "examples", "--environment", "SERVING", "--json"});
    QCOMPARE(skewed.exitCode, 1);
    const QJsonObject found = json(skewed);
    QCOMPARE(found["rows"].toInt(), 4);
    QCOMPARE(found["eval_rows"].toInt(), 4);
    QCOMPARE(found["anomalies"].toArray().size(), 1);
    QCOMPARE(found["anomalies"][0]["kind"].toString(), QString("COMPARATOR_L_INFTY_HIGH"));
    QCOMPARE(found["distances"][0]["l_infinity"].toDouble(), 0.5);
    QCOMPARE(found["distances"][0]["l_infinity_allowed"].toDouble(), 0.4);
}

void TstConvert::aFolderOfSplitsIsOneExperiment()
{
    const ProjectFixture project;
    for (const char* file :
         {"toy-train.tfrecord-00000-of-00001", "toy-test.tfrecord-00000-of-00001"}) {
        QCOMPARE(project
                     .run({"convert", "table.csv", QString("toy/1.0.0/") + file, "--schema",
                           QString("other/%1.pbtxt").arg(file)})
                     .exitCode,
                 0);
    }
    const ProgramResult made = project.run({"new", "toy/1.0.0/", "--label", "label", "--no-tries"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QByteArray text = project.read("toy/1.0.0.cannery");
    QVERIFY2(text.contains("split: \"train\"") && text.contains("split: \"test\""), text);
    QVERIFY2(!text.contains("fraction"), text);
    const ProgramResult trained =
        project.run({"train", "toy/1.0.0.cannery", "--set", "train_spec.max_steps=5", "--model-dir",
                     "model", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const ProgramResult predicted =
        project.run({"predict", "model", "--input", "toy/1.0.0", "--format", "jsonl"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QCOMPARE(predicted.out.count('\n'), 400);
    const ProgramResult plan = project.run({"plan", "toy/1.0.0.cannery", "--json"});
    QCOMPARE(json(plan)["train_rows"].toInt(), 200);
    QCOMPARE(json(plan)["eval_rows"].toInt(), 200);
}

void TstConvert::validateFindsWhatTheSchemaLacks()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"convert", "table.csv", "copy.tfrecord"}).exitCode, 0);
    const QStringList validate{"validate", "table.csv", "--schema", "schema.pbtxt"};
    const ProgramResult sound = project.run(validate);
    QVERIFY2(sound.exitCode == 0, qPrintable(sound.out + sound.err));
    QVERIFY2(!sound.out.contains("anomaly"), qPrintable(sound.out));
    project.write("table.csv", project.read("table.csv").replace("x,", "z,"));
    const ProgramResult other = project.run(QStringList(validate) << "--json");
    QCOMPARE(other.exitCode, 1);
    QStringList features;
    for (const QJsonValue& anomaly : json(other)["anomalies"].toArray()) {
        features << anomaly.toObject()["feature"].toString();
    }
    QVERIFY2(features.contains("x") && features.contains("z"), qPrintable(other.out));
}

CANNERY_TEST(TstConvert)
#include "tst_convert.moc"
