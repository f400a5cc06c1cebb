// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace cannery::tests;

/// What happens around a training, from the command line: dry runs, programs around saves,
/// profiles, and what exports contain beyond the model.
class TstRunning : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDryRunTellsWhatWouldHappenAndDoesNothing();
    void aDryRunSaysWhereItWouldGoOn();
    void aDryRunRefusesWhatTrainingRefuses();
    void programsOfAnExperimentRunOnlyIfAllowed();
    void profilesAreSummedUpInTheLog();
    void onednnTrainsALayerOfTheDigits();
    void exportsTakeFilesAndRequests();
    void wrongExtrasOfAnExportAreRefused_data();
    void wrongExtrasOfAnExportAreRefused();
};

void TstRunning::aDryRunTellsWhatWouldHappenAndDoesNothing()
{
    const ProjectFixture project;
    const QStringList before = QDir(project.path(".")).entryList();
    const ProgramResult told = project.run({"train", "fixture.cannery", "--dry-run"});
    QVERIFY2(told.exitCode == 0, qPrintable(told.err));
    QVERIFY(told.out.contains("keep_checkpoint_max: 5"));
    QVERIFY(told.out.contains("table.csv"));
    QVERIFY(told.out.contains("from 0 to 60, 13 batches per epoch"));
    QVERIFY(told.out.contains("every 20 steps, and at the end"));
    const QJsonObject json =
        cannery::tests::json(project.run({"train", "fixture.cannery", "--dry-run", "--json"}));
    QCOMPARE(json["batches_per_epoch"].toInt(), 13);
    QCOMPARE(json["from_step"].toInt(), 0);
    QCOMPARE(json["plan"]["train_rows"].toInt(), 200);
    QVERIFY(json["experiment"].toString().contains("keep_checkpoint_max: 5"));
    QCOMPARE(json["programs"].toArray().size(), 0);
    QCOMPARE(QDir(project.path(".")).entryList(), before);
}

void TstRunning::aDryRunSaysWhereItWouldGoOn()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const ProgramResult told = project.run({"train", "fixture.cannery", "--model-dir", "m",
                                            "--dry-run", "--set", "train_spec.max_steps=90"});
    QVERIFY2(told.exitCode == 0, qPrintable(told.err));
    QVERIFY2(told.out.contains("from 60 to 90"), qPrintable(told.out));
}

void TstRunning::aDryRunRefusesWhatTrainingRefuses()
{
    const ProjectFixture project;
    const ProgramResult refused = project.run(
        {"train", "fixture.cannery", "--dry-run", "--set", "data.label.column=nothing"});
    QCOMPARE(refused.exitCode, 3);
}

void TstRunning::programsOfAnExperimentRunOnlyIfAllowed()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("train_spec {", "train_spec { saving_listener { when: end "
                                                     "command: [\"cp\", \"table.csv\", "
                                                     "\"{model_dir}/copied\"] }"));
    const QStringList train{"train", "fixture.cannery", "--model-dir", "m", "--quiet"};
    const ProgramResult refused = project.run(train);
    QCOMPARE(refused.exitCode, 1);
    QVERIFY2(refused.err.contains("--allow-commands") && refused.err.contains("cp table.csv"),
             qPrintable(refused.err));
    QVERIFY(!project.exists("m"));
    const ProgramResult told = project.run({"train", "fixture.cannery", "--dry-run"});
    QVERIFY2(told.out.contains("needs --allow-commands"), qPrintable(told.out));
    const ProgramResult allowed = project.run(QStringList(train) << "--allow-commands");
    QVERIFY2(allowed.exitCode == 0, qPrintable(allowed.err));
    QCOMPARE(project.read("m/copied"), project.read("table.csv"));
    QCOMPARE(project.run({"resume", "m", "--max-steps", "70", "--quiet"}).exitCode, 1);
    const ProgramResult resumed =
        project.run({"resume", "m", "--max-steps", "70", "--quiet", "--allow-commands"});
    QVERIFY2(resumed.exitCode == 0, qPrintable(resumed.err));
}

void TstRunning::profilesAreSummedUpInTheLog()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("train_spec {",
                                     "train_spec { hook { profiler_hook { save_steps: 25 } }"));
    const ProgramResult trained = project.run({"train", "fixture.cannery", "--model-dir", "m"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QVERIFY2(trained.out.contains("2 profiled steps took") &&
                 trained.out.contains(QRegularExpression("dnn/hiddenlayer_0 +dense.* +\\d")),
             qPrintable(trained.out));
    QVERIFY(project.exists("m/timeline-25.json") && project.exists("m/timeline-50.json"));
    const QByteArray log = project.read("m/train.log");
    QVERIFY(log.contains("2 profiled steps took") && log.contains("Time of a step by layer: "));
}

/// One of its three dense layers has a shape for which oneDNN is ahead of our own kernel, and the
/// table of a profile shows it.
void TstRunning::onednnTrainsALayerOfTheDigits()
{
    const ProjectFixture project;
    copyExample(QStringLiteral("digits"), project.path("."));
    QByteArray digits = project.read("digits.cannery");
    project.write("digits.cannery",
                  digits.replace("max_steps: 20000",
                                 "max_steps: 20 hook { profiler_hook { save_steps: 10 } }"));
    const ProgramResult trained = project.run({"train", "digits.cannery", "--model-dir", "m"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QJsonArray lists = json(project.run({"doctor", "--json"}))["kernels"].toArray();
    const bool isWide = lists[1].toObject()["kernel"].toString() == QStringLiteral("onednn");
    if (!isWide) {
        QVERIFY2(!trained.out.contains("onednn"), qPrintable(trained.out));
        QSKIP("oneDNN is used with AVX-512 only, which this processor does not have.");
    }
    QCOMPARE(trained.out.count("dense, onednn"), 1);
    QCOMPARE(trained.out.count("dense, packed avx512"), 2);
    QVERIFY2(trained.out.contains(QRegularExpression("dnn/hiddenlayer_1 +dense, onednn")),
             qPrintable(trained.out));
}

void TstRunning::exportsTakeFilesAndRequests()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const ProgramResult made = project.run({"export", "fixture.cannery", "--model-dir", "m",
                                            "--output", "served", "--as-text", "--warmup-rows", "4",
                                            "--asset", "notes/table.csv=table.csv", "--json"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QString path = json(made)["path"].toString() + "/";
    QVERIFY(project.exists(path + "saved_model.pbtxt") && !project.exists(path + "saved_model.pb"));
    QCOMPARE(project.read(path + "assets.extra/notes/table.csv"), project.read("table.csv"));
    const ProgramResult requests =
        project.run({"inspect", path + "assets.extra/tf_serving_warmup_requests"});
    QVERIFY2(requests.out.contains("4 records"), qPrintable(requests.out + requests.err));
    QCOMPARE(project.run({"inspect", path}).exitCode, 0);
}

void TstRunning::wrongExtrasOfAnExportAreRefused_data()
{
    QTest::addColumn<QStringList>("options");
    QTest::addColumn<int>("exitCode");
    QTest::newRow("no name") << QStringList{"--asset", "=table.csv"} << 2;
    QTest::newRow("no file") << QStringList{"--asset", "notes"} << 2;
    QTest::newRow("outside") << QStringList{"--asset", "../notes=table.csv"} << 1;
    QTest::newRow("missing") << QStringList{"--asset", "notes=nothing.csv"} << 1;
    QTest::newRow("too many rows") << QStringList{"--warmup-rows", "1001"} << 2;
    QTest::newRow("fewer than none") << QStringList{"--warmup-rows", "-1"} << 2;
}

void TstRunning::wrongExtrasOfAnExportAreRefused()
{
    QFETCH(QStringList, options);
    QFETCH(int, exitCode);
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery", "--model-dir", "m", "--quiet"}).exitCode, 0);
    const ProgramResult refused = project.run(
        QStringList{"export", "fixture.cannery", "--model-dir", "m", "--output", "served"} +
        options);
    QCOMPARE(refused.exitCode, exitCode);
    QVERIFY(refused.err.contains("error: "));
    QVERIFY(!project.exists("served"));
}

CANNERY_TEST(TstRunning)
#include "tst_running.moc"
