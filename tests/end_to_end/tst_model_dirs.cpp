// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/patience.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace cannery::tests;

/// Reusing a model_dir: what counts as the same experiment, and what may be missing.
class TstModelDirs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aSeedThatNobodyWroteIsNoDifference_data();
    void aSeedThatNobodyWroteIsNoDifference();
    void rowsThatCameLaterAreNoDifference();
    void whatAPersonHasChangedIsNamed();
    void howItWasTrainedIsAllTheSameToPredictions();
    void goesOnWithoutTheStateFile();
    void everyCommandFindsAModelWithoutTheStateFile_data();
    void everyCommandFindsAModelWithoutTheStateFile();
    void emptyIndexesAreNoCheckpoints_data();
    void emptyIndexesAreNoCheckpoints();
    void aFolderThatIsTakenAwayEndsTheTraining_data();
    void aFolderThatIsTakenAwayEndsTheTraining();
    void namesOfFoldersAreChecked_data();
    void namesOfFoldersAreChecked();

private:
    static QStringList train(const QStringList& more = {})
    {
        return QStringList{"train", "fixture.cannery", "--model-dir", "m", "--quiet"} + more;
    }
    static void addCommands();
    static QByteArray message(const ProgramResult& result)
    {
        return result.err.toUtf8() + result.out.toUtf8();
    }
};

void TstModelDirs::addCommands()
{
    QTest::addColumn<QStringList>("words");
    const QStringList model{"fixture.cannery", "--model-dir", "m"};
    QTest::newRow("evaluate") << QStringList{"evaluate"} + model;
    QTest::newRow("predict") << QStringList{"predict"} + model +
                                    QStringList{"--input", "table.csv", "--output", "-"};
    QTest::newRow("export") << QStringList{"export"} + model + QStringList{"--output", "served"};
    QTest::newRow("evaluate the folder") << QStringList{"evaluate", "m"};
}

void TstModelDirs::aSeedThatNobodyWroteIsNoDifference_data()
{
    QTest::addColumn<QStringList>("seed");
    QTest::newRow("none") << QStringList();
    QTest::newRow("on the command line") << QStringList{"--seed", "5"};
}

void TstModelDirs::aSeedThatNobodyWroteIsNoDifference()
{
    QFETCH(const QStringList, seed);
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment("tf_random_seed: 11 ", ""));
    const ProgramResult first = project.run(train(seed));
    QVERIFY2(first.exitCode == 0, message(first));
    const QStringList model{"fixture.cannery", "--model-dir", "m"};
    for (const QStringList& words :
         {QStringList{"evaluate"} + model,
          QStringList{"predict"} + model + QStringList{"--input", "table.csv", "--output", "-"},
          QStringList{"export"} + model + QStringList{"--output", "served"},
          train(QStringList{"--set", "train_spec.max_steps=80"}),
          train(seed + QStringList{"--set", "train_spec.max_steps=90"})}) {
        const ProgramResult result = project.run(words);
        QVERIFY2(result.exitCode == 0, words.join(' ').toUtf8() + "\n" + message(result));
    }
    QVERIFY(project.exists("m/model.ckpt-90.index"));
}

void TstModelDirs::rowsThatCameLaterAreNoDifference()
{
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    const QStringList predict{"predict", "fixture.cannery", "--model-dir", "m",
                              "--input", "before.csv",      "--output",    "-"};
    project.write("before.csv", project.read("table.csv"));
    const QString before = project.run(predict).out;
    QVERIFY(!before.isEmpty());
    // Another column, and rows that change mean and deviation of y and make x a column of numbers
    // with different digits: the experiment has not been edited.
    QByteArray grown;
    const QList<QByteArray> lines = project.read("table.csv").trimmed().split('\n');
    for (const QByteArray& line : lines) {
        grown += line + (grown.isEmpty() ? ",extra\n" : ",7\n");
    }
    grown += "900,0.25,1000,red,1,7\n901,0.5,-2000,blue,0,7\n";
    project.write("table.csv", grown);
    const ProgramResult predicted = project.run(predict);
    QVERIFY2(predicted.exitCode == 0, message(predicted));
    QCOMPARE(predicted.out, before);
    const ProgramResult trained = project.run(train({"--set", "train_spec.max_steps=80"}));
    QVERIFY2(trained.exitCode == 0, message(trained));
    QVERIFY(project.read("m/train.log")
                .contains("The training data has changed since the "
                          "checkpoint."));
}

void TstModelDirs::whatAPersonHasChangedIsNamed()
{
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    project.write("fixture.cannery",
                  project.experiment("hidden_units: [8, 4]", "hidden_units: [8]"));
    for (const QStringList& words :
         {train({"--set", "train_spec.max_steps=80"}),
          QStringList{"evaluate", "fixture.cannery", "--model-dir", "m"}}) {
        const ProgramResult result = project.run(words);
        QCOMPARE(result.exitCode, 5);
        QVERIFY2(result.err.contains("m belongs to another experiment; "
                                     "estimator.dnn_classifier.hidden_units[1]: 4 -> (removed)") ||
                     result.err.contains("hidden_units"),
                 message(result));
        QVERIFY2(result.err.contains("Choose another model_dir, or undo these changes."),
                 message(result));
    }
}

void TstModelDirs::howItWasTrainedIsAllTheSameToPredictions()
{
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    QByteArray text = project.experiment("tf_random_seed: 11", "tf_random_seed: 12");
    text.replace("batch_size: 16", "batch_size: 20");
    project.write("fixture.cannery", text);
    const ProgramResult evaluated =
        project.run({"evaluate", "fixture.cannery", "--model-dir", "m"});
    QVERIFY2(evaluated.exitCode == 0, message(evaluated));
    const ProgramResult trained = project.run(train({"--set", "train_spec.max_steps=80"}));
    QCOMPARE(trained.exitCode, 5);
    QVERIFY2(trained.err.contains("tf_random_seed") && trained.err.contains("batch_size"),
             message(trained));
}

void TstModelDirs::goesOnWithoutTheStateFile()
{
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    QVERIFY(QFile::remove(project.path("m/checkpoint")));
    const ProgramResult result = project.run(train({"--set", "train_spec.max_steps=80"}));
    QVERIFY2(result.exitCode == 0, message(result));
    const QByteArray log = project.read("m/train.log");
    QVERIFY2(log.contains("warning - m holds checkpoints, but no file 'checkpoint' that says which "
                          "is the newest.") &&
                 log.contains("warning - Resuming from m/model.ckpt-60 instead.") &&
                 log.contains("Restored m/model.ckpt-60 at step 60."),
             log);
    // The bits of an undisturbed one.
    const ProgramResult whole = project.run({"train", "fixture.cannery", "--model-dir", "whole",
                                             "--quiet", "--set", "train_spec.max_steps=80"});
    QCOMPARE(whole.exitCode, 0);
    QCOMPARE(project.read("m/model.ckpt-80.data-00000-of-00001"),
             project.read("whole/model.ckpt-80.data-00000-of-00001"));
}

void TstModelDirs::everyCommandFindsAModelWithoutTheStateFile_data()
{
    addCommands();
}

void TstModelDirs::everyCommandFindsAModelWithoutTheStateFile()
{
    QFETCH(const QStringList, words);
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    const ProgramResult before = project.run(words);
    QVERIFY(QFile::remove(project.path("m/checkpoint")));
    const ProgramResult after = project.run(words);
    QVERIFY2(after.exitCode == 0, message(after));
    if (words.first() != "export") {
        QCOMPARE(after.out, before.out);
    }
    QVERIFY2(after.err.contains("warning: m holds checkpoints, but no file 'checkpoint' that says "
                                "which is the newest. Taking m/model.ckpt-60 instead."),
             message(after));
    // The newest is damaged too: falls back to the one before it.
    project.spoils();
    project.write("m/model.ckpt-60.index", {});
    const ProgramResult older = project.run(words);
    QVERIFY2(older.exitCode == 0, message(older));
    QVERIFY2(older.err.contains("Taking m/model.ckpt-40 instead."), message(older));
}

void TstModelDirs::emptyIndexesAreNoCheckpoints_data()
{
    addCommands();
    QTest::newRow("train") << train({"--set", "train_spec.max_steps=80"});
    QTest::newRow("resume") << QStringList{"resume", "m", "--quiet"};
}

void TstModelDirs::emptyIndexesAreNoCheckpoints()
{
    QFETCH(const QStringList, words);
    const ProjectFixture project;
    QCOMPARE(project.run(train()).exitCode, 0);
    project.spoils();
    for (const QString& name : QDir(project.path("m")).entryList({"*.index"}, QDir::Files)) {
        project.write("m/" + name, {});
    }
    const ProgramResult result = project.run(words);
    QVERIFY2(result.exitCode == 5, QByteArray::number(result.exitCode) + "\n" + message(result));
    QVERIFY(QFile::remove(project.path("m/checkpoint")));
    const ProgramResult again = project.run(words);
    QVERIFY2(again.exitCode == 5, QByteArray::number(again.exitCode) + "\n" + message(again));
    QVERIFY2(again.err.contains("None of the checkpoints in m can be read: "), message(again));
}

void TstModelDirs::aFolderThatIsTakenAwayEndsTheTraining_data()
{
    QTest::addColumn<bool>("emptied");
    QTest::newRow("moved") << false;
    QTest::newRow("emptied, while its writer makes new files") << true;
}

void TstModelDirs::aFolderThatIsTakenAwayEndsTheTraining()
{
    QFETCH(const bool, emptied);
    const ProjectFixture project;
    const std::unique_ptr<QProcess> process =
        project.start(train({"--set", "train_spec.max_steps=1000000000", "--set",
                             "run_config.save_checkpoints_steps=1000"}));
    QTRY_VERIFY_WITH_TIMEOUT(project.exists("m/checkpoint"), kPatience);
    project.spoils();
    if (emptied) {
        for (const QString& name : QDir(project.path("m")).entryList({"*.json", "*.cannery"})) {
            QFile::remove(project.path("m/" + name));
        }
    } else {
        QVERIFY(QDir(project.path("")).rename("m", "elsewhere"));
    }
    const bool ended = process->waitForFinished(kPatience);
    if (!ended) {
        process->kill();
        process->waitForFinished();
    }
    const QByteArray err = process->readAllStandardError();
    QVERIFY2(ended && process->exitStatus() == QProcess::NormalExit, err);
    QCOMPARE(process->exitCode(), 1);
    QVERIFY2(
        err.contains("The folder m was moved, deleted or emptied during training (step ") &&
            err.contains("Training has stopped; train again, or restore the folder and resume."),
        err);
}

void TstModelDirs::namesOfFoldersAreChecked_data()
{
    QTest::addColumn<QByteArray>("field");
    QTest::addColumn<QByteArray>("said");
    const QByteArray folder = " cannot be a name here: it becomes the name of a folder, so it must "
                              "not be empty, '.' or '..', nor contain '/'. Choose another. ";
    const QByteArray exporter = "[eval_spec.exporter[0].final_exporter.name]";
    QTest::newRow("slash") << QByteArray("exporter { final_exporter { name: \"a/b\" } }")
                           << "\"a/b\"" + folder + exporter;
    QTest::newRow("zero byte") << QByteArray("exporter { final_exporter { name: \"a\\000b\" } }")
                               << "has a zero byte: remove it. " + exporter;
    QTest::newRow("above") << QByteArray("exporter { final_exporter { name: \"..\" } }")
                           << "\"..\"" + folder + exporter;
    QTest::newRow("evaluation") << QByteArray("name: \"../x\"")
                                << "\"../x\"" + folder + "[eval_spec.name]";
}

void TstModelDirs::namesOfFoldersAreChecked()
{
    QFETCH(const QByteArray, field);
    QFETCH(const QByteArray, said);
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("eval_spec { steps: 0", "eval_spec { " + field + " steps: 0"));
    const ProgramResult checked = project.run({"check", "fixture.cannery"});
    QCOMPARE(checked.exitCode, 3);
    QVERIFY2(checked.out.contains(QString::fromUtf8(said)), message(checked));
    QVERIFY2(checked.out.contains("fixture.cannery:21:"), message(checked));
    const ProgramResult trained = project.run(train());
    QCOMPARE(trained.exitCode, 3);
    QVERIFY2(trained.err.contains(QString::fromUtf8(said)), message(trained));
    QVERIFY(!project.exists("m"));
}

CANNERY_TEST(TstModelDirs)
#include "tst_model_dirs.moc"
