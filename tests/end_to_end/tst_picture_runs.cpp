// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace cannery::tests;

namespace {

const QString kGoldens = CANNERY_SOURCE_DIR "/tests/golden/images/";

const QByteArray kShapes = R"(name: "Shapes"
data {
  train { image_folder { path: "shapes" split: "train" height: 16 width: 16 range: symmetric } }
  eval { image_folder { path: "shapes" split: "validation" height: 16 width: 16 range: symmetric } }
  label { column: "label" }
}
feature_column { name: "image" numeric_column { key: "image" shape: [16, 16, 3] } }
estimator {
  dnn_classifier {
    feature_columns: ["image"] hidden_units: [16] n_classes: 2
    label_vocabulary: ["circle", "square"] optimizer { adam { learning_rate: 0.003 } }
  }
}
train_spec { max_steps: 120 input { batch_size: 12 } }
eval_spec { steps: 0 throttle_secs: 0 }
run_config { tf_random_seed: 3 save_checkpoints_steps: 60 save_summary_steps: 20 }
)";

/// Circles and squares in shapes/train and shapes/validation.
void copyShapes(const ProjectFixture& project)
{
    const QDir source(kGoldens + "shapes");
    QDirIterator files(source.path(), QDir::Files, QDirIterator::Subdirectories);
    while (files.hasNext()) {
        const QString target = project.path("shapes/" + source.relativeFilePath(files.next()));
        QDir().mkpath(QFileInfo(target).path());
        if (!QFile::copy(files.filePath(), target)) {
            qFatal("the pictures are not copied");
        }
    }
}

QList<QJsonObject> linesOf(const QString& text)
{
    QList<QJsonObject> lines;
    for (const QString& line : text.split('\n', Qt::SkipEmptyParts)) {
        lines << QJsonDocument::fromJson(line.toUtf8()).object();
    }
    return lines;
}

} // namespace

/// Folders of pictures, from the first look to predictions.
class TstPictureRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aClassifierLearnsShapes();
    void damagedPicturesAreCounted();
    void aFolderIsLookedAt();
    void newWritesAnExperimentThatLearns();
};

void TstPictureRuns::aClassifierLearnsShapes()
{
    const ProjectFixture project;
    copyShapes(project);
    project.write("shapes.cannery", kShapes);
    const ProgramResult trained =
        project.run({"train", "shapes.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QJsonObject evaluated =
        json(project.run({"evaluate", "shapes.cannery", "--model-dir", "m", "--json"}));
    QCOMPARE(evaluated["rows"].toInt(), 12);
    const double accuracy = evaluated["metrics"].toObject()["accuracy"].toDouble();
    QVERIFY2(accuracy > 0.9, qPrintable(QString::number(accuracy)));
    // Pictures to predict need no label.
    QVERIFY(QDir(project.path(".")).mkpath("new"));
    QVERIFY(QFile::copy(kGoldens + "shapes/validation/square/01.jpg", project.path("new/a.jpg")));
    QVERIFY(QFile::copy(kGoldens + "shapes/validation/circle/02.bmp", project.path("new/b.bmp")));
    const ProgramResult predicted =
        project.run({"predict", "shapes.cannery", "--model-dir", "m", "--input", "new", "--output",
                     "-", "--format", "jsonl"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    const QList<QJsonObject> rows = linesOf(predicted.out);
    QCOMPARE(rows.size(), 2);
    QVERIFY2(predicted.out.section('\n', 0, 0).contains("square"), qPrintable(predicted.out));
    QVERIFY2(predicted.out.section('\n', 1, 1).contains("circle"), qPrintable(predicted.out));
}

void TstPictureRuns::damagedPicturesAreCounted()
{
    const ProjectFixture project;
    copyShapes(project);
    project.write("shapes.cannery", kShapes);
    QVERIFY(QFile::copy(kGoldens + "files/half.jpg", project.path("shapes/train/circle/half.jpg")));
    const ProgramResult refused =
        project.run({"train", "shapes.cannery", "--model-dir", "m", "--quiet"});
    QCOMPARE(refused.exitCode, 3);
    QVERIFY2(refused.err.contains("shapes/train/circle/half.jpg breaks off: it ends in row"),
             qPrintable(refused.err));
    const ProgramResult trained =
        project.run({"train", "shapes.cannery", "--model-dir", "m", "--set", "data.bad_rows=SKIP"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    QVERIFY2(trained.err.contains("half.jpg"), qPrintable(trained.err));
}

void TstPictureRuns::aFolderIsLookedAt()
{
    const ProjectFixture project;
    copyShapes(project);
    const ProgramResult browsed = project.run({"browse", "shapes"});
    QVERIFY2(browsed.exitCode == 0, qPrintable(browsed.err));
    QVERIFY2(browsed.out.contains("PNG, 16 × 16") && browsed.out.contains("circle"),
             qPrintable(browsed.out));
    const ProgramResult previewed = project.run({"preview", "shapes"});
    QVERIFY2(previewed.exitCode == 0, qPrintable(previewed.err));
    const ProgramResult inspected = project.run({"inspect", "shapes"});
    QVERIFY2(inspected.exitCode == 0, qPrintable(inspected.err));
}

void TstPictureRuns::newWritesAnExperimentThatLearns()
{
    const ProjectFixture project;
    copyShapes(project);
    QVERIFY(QFile::copy(kGoldens + "files/half.jpg", project.path("shapes/train/circle/half.jpg")));
    // Folders are labels, and a damaged picture is no reason to stop.
    const ProgramResult made = project.run({"new", "shapes"});
    QVERIFY2(made.exitCode == 0, qPrintable(made.err));
    const QByteArray text = project.read("shapes.cannery");
    QVERIFY2(text.contains("split: \"validation\"") && text.contains("height: 16"),
             text.constData());
    QVERIFY2(text.contains("bad_rows: SKIP") && text.contains("Left out 1 row that cannot be"),
             text.constData());
    QVERIFY2(text.contains("custom_estimator") && text.contains("conv_2d"), text.constData());
    const ProgramResult trained =
        project.run({"train", "shapes.cannery", "--model-dir", "m", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QJsonObject evaluated =
        json(project.run({"evaluate", "shapes.cannery", "--model-dir", "m", "--json"}));
    QVERIFY(evaluated["metrics"].toObject()["accuracy"].toDouble() > 0.9);
    const ProgramResult predicted = project.run(
        {"predict", "shapes.cannery", "--model-dir", "m", "--input", "shapes/validation"});
    QVERIFY2(predicted.exitCode == 0, qPrintable(predicted.err));
    QVERIFY2(predicted.out.startsWith("path,") && predicted.out.contains("\ncircle/"),
             qPrintable(predicted.out.left(300)));
    // Whoever names an estimator gets that one.
    const ProgramResult named = project.run(
        {"new", "shapes", "--label", "label", "--estimator", "dnn", "--output", "dnn.cannery"});
    QVERIFY2(named.exitCode == 0, qPrintable(named.err));
    QVERIFY(project.read("dnn.cannery").contains("dnn_classifier"));
}

CANNERY_TEST(TstPictureRuns)
#include "tst_picture_runs.moc"
