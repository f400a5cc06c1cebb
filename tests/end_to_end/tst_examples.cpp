// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QDir>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

using namespace cannery::tests;

/// Trains, evaluates and exports every shipped example as a user would.
class TstExamples : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void trainsEvaluatesAndExports_data();
    void trainsEvaluatesAndExports();
    void startsFromATable_data();
    void startsFromATable();
};

void TstExamples::trainsEvaluatesAndExports_data()
{
    QTest::addColumn<QString>("metric");
    QTest::addColumn<double>("atLeast");
    QTest::addColumn<double>("atMost");
    // The result of scikit-learn's logistic regression on the same split, minus a margin.
    QTest::newRow("titanic") << "accuracy" << 0.74 << 1.0;
    QTest::newRow("titanic_trees") << "accuracy" << 0.76 << 1.0;
    QTest::newRow("census") << "accuracy" << 0.80 << 1.0;
    QTest::newRow("penguins") << "accuracy" << 0.93 << 1.0;
    QTest::newRow("digits") << "accuracy" << 0.94 << 1.0;
    QTest::newRow("digits_cnn") << "accuracy" << 0.97 << 1.0;
    // A network that looks at the whole picture instead of the sharpest corner gets 0.88.
    QTest::newRow("shapes") << "accuracy" << 0.95 << 1.0;
    // A network that reads how often each page was seen gets 0.77.
    QTest::newRow("visits") << "accuracy" << 0.85 << 1.0;
    // Ftrl, with its default rate, gets 0.55 in ten times the steps.
    QTest::newRow("offers") << "accuracy" << 0.80 << 1.0;
    // The sum over a batch of 128 or fewer rows of 4 columns with a variance of 1 each; that of the
    // species' own means is about 110.
    QTest::newRow("penguin_groups") << "score" << 1.0 << 130.0;
    // The variance of mpg is 61: an untrained model is far above.
    QTest::newRow("auto_mpg") << "average_loss" << 0.0 << 16.0;
}

void TstExamples::trainsEvaluatesAndExports()
{
    QFETCH(QString, metric);
    QFETCH(double, atLeast);
    QFETCH(double, atMost);
    const QString name = QTest::currentDataTag();
    const ProjectFixture project;
    copyExample(name, project.path("example"));
    const QString experiment = "example/" + name + ".cannery";

    const ProgramResult checked = project.run({"check", experiment});
    QVERIFY2(checked.exitCode == 0, qPrintable(checked.out + checked.err));
    const ProgramResult trained = project.run({"train", experiment, "--json"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
    const QJsonObject summary = QJsonDocument::fromJson(trained.out.toUtf8()).object();
    const double value = summary["metrics"].toObject()[metric].toDouble(-1);
    QVERIFY2(value >= atLeast && value <= atMost, qPrintable(trained.out));
    QVERIFY(QDir(summary["model_dir"].toString()).exists("checkpoint"));

    const QString run = summary["run"].toString();
    const ProgramResult exported =
        project.run({"export", run, "--project", "example", "--output", project.path("served")});
    QVERIFY2(exported.exitCode == 0, qPrintable(exported.err));
    QVERIFY(QDir(exported.out.trimmed()).exists("saved_model.pb"));
    // Of pictures, which are large, fewer rows are compared.
    static const QRegularExpression kAllAgree(R"((1|20) of \1 predictions agree)");
    QVERIFY2(exported.err.contains(kAllAgree), qPrintable(exported.err));
    const ProgramResult evaluated =
        project.run({"evaluate", run, "--project", "example", "--json"});
    QVERIFY2(evaluated.exitCode == 0, qPrintable(evaluated.err));
    const QJsonObject again = QJsonDocument::fromJson(evaluated.out.toUtf8()).object();
    QCOMPARE(again["metrics"].toObject(), summary["metrics"].toObject());
}

void TstExamples::startsFromATable_data()
{
    QTest::addColumn<QString>("table");
    QTest::addColumn<QString>("label");
    QTest::newRow("binary") << "titanic/titanic_train.csv"
                            << "survived";
    QTest::newRow("text classes") << "penguins/penguins.csv"
                                  << "species";
    QTest::newRow("regression") << "auto_mpg/auto_mpg.csv"
                                << "mpg";
    QTest::newRow("missing tokens") << "census/census_train.csv"
                                    << "income_bracket";
}

void TstExamples::startsFromATable()
{
    QFETCH(QString, table);
    QFETCH(QString, label);
    for (const char* estimator : {"auto", "linear", "dnn", "baseline"}) {
        const ProjectFixture project;
        copyExample(table.section('/', 0, 0), project.path("example"));
        const QString csv = "example/" + table.section('/', 1);
        const ProgramResult made = project.run(
            {"new", csv, "--label", label, "--estimator", estimator, "--output", "new.cannery"});
        QVERIFY2(made.exitCode == 0, qPrintable(made.err));
        const ProgramResult trained =
            project.run({"train", "new.cannery", "--quiet", "--set", "train_spec.max_steps=20"});
        QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
        const ProgramResult again =
            project.run({"new", csv, "--label", label, "--output", "new.cannery"});
        QCOMPARE(again.exitCode, 1);
    }
}

CANNERY_TEST(TstExamples)
#include "tst_examples.moc"
