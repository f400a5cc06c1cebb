// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QTest>

using namespace cannery::tests;

/// What does not fit is refused at its location before anything is allocated or written, with the
/// same message by every command.
class TstTooLarge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void everyCommandSaysTheSame_data();
    void everyCommandSaysTheSame();
    void aModelThatFitsIsTrained();
    void aPatternIsRefusedAtItsPlace();
    void crossesOfCrossesEnd();
    void aZScoreOfOneNumberIsAWarningAtItsPlace();
    void aNumberFarOffIsAWarning();
};

void TstTooLarge::init()
{
    qputenv("CANNERY_MEMORY_BYTES", "50000000");
}

void TstTooLarge::cleanup()
{
    qunsetenv("CANNERY_MEMORY_BYTES");
}

void TstTooLarge::everyCommandSaysTheSame_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("with");
    QTest::addColumn<QString>("begin");
    QTest::addColumn<QString>("cure");
    const QString path = "fixture.cannery:";
    const QString fits = "At most ";
    const QString hidden = path + "14:20: error: 'hidden_units[0]' is 100000: training would need ";
    QTest::newRow("hidden units") << QByteArray("[8, 4]") << QByteArray("[100000, 4]") << hidden
                                  << fits;
    QTest::newRow("two wide layers")
        << QByteArray("[8, 4]") << QByteArray("[100000, 100000]") << hidden
        << "No number in its place would fit: make other fields smaller too. ";
    QTest::newRow("dimension") << QByteArray("dimension: 2") << QByteArray("dimension: 1000000000")
                               << path + "11:102: error: 'dimension' is 1000000000: training would "
                                         "need "
                               << fits;
    QTest::newRow("batch") << QByteArray("batch_size: 16")
                           << QByteArray("batch_size: 1000000000000")
                           << path + "20:48: error: 'batch_size' is 1000000000000: training would "
                                     "need "
                           << fits;
    QTest::newRow("classes") << QByteArray("dropout: 0.1")
                             << QByteArray("n_classes: 9223372036854775807")
                             << path + "17:16: error: 'n_classes' is 9223372036854775807: training "
                                       "would need "
                             << fits;
}

void TstTooLarge::everyCommandSaysTheSame()
{
    QFETCH(QByteArray, what);
    QFETCH(QByteArray, with);
    QFETCH(QString, begin);
    QFETCH(QString, cure);
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment(what, with));
    const ProgramResult check = project.run({"check", "fixture.cannery"});
    QCOMPARE(check.exitCode, 3);
    QVERIFY2(check.out.startsWith(begin), qPrintable(check.out));
    QVERIFY2(check.out.contains(", but CANNERY_MEMORY_BYTES leaves 50.0 MB. " + cure),
             qPrintable(check.out));
    for (const char* command : {"train", "plan"}) {
        const ProgramResult result = project.run({command, "fixture.cannery"});
        QCOMPARE(result.exitCode, 3);
        QCOMPARE(result.err, check.out);
    }
    QVERIFY(!project.exists("runs"));
}

void TstTooLarge::aModelThatFitsIsTrained()
{
    const ProjectFixture project;
    const ProgramResult result = project.run(
        {"train", "fixture.cannery", "--quiet", "--model-dir", "m", "--set",
         "estimator.dnn_classifier.hidden_units=[500, 500]", "--set", "train_spec.max_steps=2"});
    QVERIFY2(result.exitCode == 0, qPrintable(result.err));
    QVERIFY(project.exists("m/model.ckpt-2.index"));
}

void TstTooLarge::aPatternIsRefusedAtItsPlace()
{
    const ProjectFixture project;
    project.write("fixture.cannery", project.experiment() +
                                         "warm_start { ckpt_to_initialize_from: \"m\" pattern: \"" +
                                         QByteArray(5000, '(') + "\" }\n");
    const QString sentence = "fixture.cannery:23:52: error: '" + QString(60, '(') +
                             "…' nests brackets more than 100 levels deep. Write a simpler "
                             "expression. [warm_start.pattern]\n";
    const ProgramResult check = project.run({"check", "fixture.cannery"});
    QCOMPARE(check.exitCode, 3);
    QCOMPARE(check.out, sentence);
    const ProgramResult train = project.run({"train", "fixture.cannery"});
    QCOMPARE(train.exitCode, 3);
    QCOMPARE(train.err, sentence);
}

/// Each level doubles the parts of the one below.
void TstTooLarge::crossesOfCrossesEnd()
{
    const ProjectFixture project;
    QByteArray text = project.experiment() +
                      "feature_column { name: \"c0\" crossed_column { key { feature: \"colour\" } "
                      "key { feature: \"id\" } hash_bucket_size: 5 } }\n";
    for (int level = 1; level <= 40; ++level) {
        const QByteArray below = QByteArray::number(level - 1);
        text += "feature_column { name: \"c" + QByteArray::number(level) +
                "\" crossed_column { key { column: \"c" + below + "\" } key { column: \"c" + below +
                "\" } hash_bucket_size: 5 } }\n";
    }
    project.write("fixture.cannery", text);
    const ProgramResult check = project.run({"check", "fixture.cannery"});
    QCOMPARE(check.exitCode, 3);
    QVERIFY2(check.out.contains("The feature column 'c40' consists of more than 10000 columns: use "
                                "fewer. [feature_column[c40]]"),
             qPrintable(check.out));
}

void TstTooLarge::aZScoreOfOneNumberIsAWarningAtItsPlace()
{
    const ProjectFixture project;
    QByteArray table = "id,x,y,colour,label\n";
    for (int row = 0; row < 20; ++row) {
        table += QByteArray::number(row) + ",0.5,7,red," + QByteArray::number(row % 2) + "\n";
    }
    project.write("table.csv", table);
    const ProgramResult check = project.run({"check", "fixture.cannery"});
    QCOMPARE(check.exitCode, 0);
    QCOMPARE(
        check.out,
        QString("fixture.cannery:8:54: warning: Every number of 'y' in the training rows is 7, "
                "so the feature column 'y' is 0 in all of them and the model learns nothing "
                "from it. Remove the column, or train on rows that differ. "
                "[feature_column[y].numeric_column.normalizer]\n"));
    QCOMPARE(project.run({"train", "fixture.cannery"}).exitCode, 0);
}

void TstTooLarge::aNumberFarOffIsAWarning()
{
    const ProjectFixture project;
    QByteArray table = "id,x,y,colour,label\n";
    for (int row = 0; row < 4000; ++row) {
        table += QByteArray::number(row) + ",0.5," +
                 (row == 70 ? "1e9"
                  : row % 2 ? "1"
                            : "2") +
                 ",red," + QByteArray::number(row % 2) + "\n";
    }
    project.write("table.csv", table);
    const ProgramResult check = project.run({"check", "fixture.cannery"});
    QCOMPARE(check.exitCode, 0);
    QVERIFY2(check.out.startsWith("fixture.cannery:8:54: warning: "), qPrintable(check.out));
    QVERIFY2(check.out.contains("table.csv:72: 1000000000 of 'y' becomes 63."),
             qPrintable(check.out));
    const ProgramResult json = project.run({"check", "fixture.cannery", "--json"});
    QVERIFY2(json.out.contains("\"id\": \"data.extreme_value\""), qPrintable(json.out));
    QVERIFY2(json.out.contains("\"level\": \"warning\""), qPrintable(json.out));
}

CANNERY_TEST(TstTooLarge)
#include "tst_too_large.moc"
