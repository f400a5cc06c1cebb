// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/project_fixture.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace cannery::tests;

/// What the commands report as JSON about models that are not trained yet.
class TstModelJson : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void planSamplesTheLearningRates();
    void planTriesTheWarmStart();
    void newSaysHowItChoseTheModel();
    void newTakesTreesWhereTheyAreBetter();
    void newTakesTheTreesThatAreAskedFor();
    void newLeavesColumnsOut();
};

void TstModelJson::planSamplesTheLearningRates()
{
    const ProjectFixture project;
    project.write("fixture.cannery",
                  project.experiment("optimizer { adam { learning_rate: 0.01 } }",
                                     "optimizer { adam { } learning_rate_schedule { cosine_decay { "
                                     "learning_rate: 0.04 decay_steps: 60 } } }"));
    QFile::remove(project.path("table.csv")); // it is not needed for them
    const ProgramResult planned =
        project.run({"plan", "fixture.cannery", "--learning-rates", "--json"});
    QVERIFY2(planned.exitCode == 0, qPrintable(planned.err));
    const QJsonArray curves = json(planned)["learning_rates"].toArray();
    QCOMPARE(curves.size(), 1);
    const QJsonObject curve = curves[0].toObject();
    QCOMPARE(curve["path"].toString(), "estimator.dnn_classifier.optimizer");
    QCOMPARE(curve["optimizer"].toString(), "adam");
    QCOMPARE(curve["schedule"].toString(), "cosine_decay");
    const QJsonArray steps = curve["steps"].toArray();
    const QJsonArray rates = curve["rates"].toArray();
    QCOMPARE(steps.size(), 61);
    QCOMPARE(rates.size(), 61);
    for (int i = 0; i <= 60; ++i) {
        QCOMPARE(steps[i].toInt(), i);
        const double expected = 0.04 * 0.5 * (1 + std::cos(M_PI * i / 60.0));
        QVERIFY2(std::abs(rates[i].toDouble() - expected) < 1e-8,
                 qPrintable(QString("%1 at %2").arg(rates[i].toDouble()).arg(i)));
    }
    QVERIFY(project.run({"plan", "fixture.cannery", "--learning-rates"})
                .out.contains("0.04 at step 0, 0.02 at 30, 0 at 60 (adam, cosine_decay)"));
}

void TstModelJson::planTriesTheWarmStart()
{
    const ProjectFixture project;
    QCOMPARE(project.run({"train", "fixture.cannery"}).exitCode, 0);
    const auto planned = [&](const QByteArray& units, const QByteArray& pattern) {
        project.write("next.cannery", project.experiment("hidden_units: [8, 4]", units) +
                                          "warm_start { ckpt_to_initialize_from: \"runs/run-001\"" +
                                          pattern + " }\n");
        return json(project.run({"plan", "next.cannery", "--json"}))["warm_start"].toObject();
    };
    const QJsonObject all = planned("hidden_units: [8, 4]", "");
    QVERIFY(all["checkpoint"].toString().endsWith("model.ckpt-60"));
    QVERIFY(all["restored"].toArray().contains("dnn/hiddenlayer_0/kernel"));
    QVERIFY(all["fresh"].toArray().isEmpty());
    const QJsonObject some = planned("hidden_units: [8, 4]", " pattern: \"dnn/hiddenlayer_0\"");
    QCOMPARE(some["restored"].toArray().size(), 2);
    QVERIFY(some["fresh"].toArray().contains("dnn/logits/kernel"));
    for (const QJsonValue& variable : some["variables"].toArray()) {
        const bool isCaught = variable["name"].toString().startsWith("dnn/hiddenlayer_0");
        QCOMPARE(variable["selected"].toBool(), isCaught);
        QCOMPARE(variable["patterns"].toArray().size(), isCaught ? 1 : 0);
        QCOMPARE(variable["previous_shape"], variable["shape"]);
    }
    const QJsonObject other = planned("hidden_units: [9, 4]", "");
    QStringList misfits;
    for (const QJsonValue& variable : other["variables"].toArray()) {
        if (!variable["problem"].toString().isEmpty()) {
            QVERIFY(variable["previous_shape"] != variable["shape"]);
            misfits << variable["name"].toString();
        }
    }
    misfits.sort();
    QCOMPARE(misfits, (QStringList{"dnn/hiddenlayer_0/bias", "dnn/hiddenlayer_0/kernel",
                                   "dnn/hiddenlayer_1/kernel"}));
    QVERIFY2(other["problem"].toString().contains("hiddenlayer_0"),
             qPrintable(other["problem"].toString()));
    QVERIFY(other["restored"].toArray().isEmpty());
}

void TstModelJson::newSaysHowItChoseTheModel()
{
    const ProjectFixture project;
    const QStringList words{"new", "table.csv", "--label", "label", "--dry-run", "--json"};
    const QJsonObject quick = json(project.run(words + QStringList{"--no-tries"}));
    const QJsonObject untried = quick["model"].toObject();
    QCOMPARE(untried["chosen"].toString(), "dnn_linear_combined");
    QVERIFY(!untried.contains("guess_loss"));
    const QJsonObject found = json(project.run(words + QStringList{"--best-score"}));
    const QJsonObject model = found["model"].toObject();
    QVERIFY(model["estimated_seconds"].toDouble() > 0);
    double least = model["guess_loss"].toDouble();
    QVERIFY(least > 0);
    QString best;
    for (const QJsonValue& kind : model["kinds"].toArray()) {
        const double loss = kind["loss"].toDouble(1e9);
        if (loss < least) {
            least = loss;
            best = kind["family"].toString();
        }
    }
    QCOMPARE(model["kinds"].toArray().size(), 4);
    QCOMPARE(model["chosen"].toString(), best);
    QVERIFY(found["experiment_text"].toString().contains(best + "_classifier {"));
}

void TstModelJson::newTakesTreesWhereTheyAreBetter()
{
    const ProjectFixture project;
    // A checkerboard: neither column says anything alone, and no smooth function fits.
    QByteArray table = "x,y,label\n";
    for (int i = 0; i < 1600; ++i) {
        const int x = i * 37 % 800;
        const int y = i * i % 793;
        table += QByteArray::number(x) + "," + QByteArray::number(y) + "," +
                 ((x / 100 + y / 100) % 2 == 0 ? "even" : "odd") + "\n";
    }
    project.write("board.csv", table);
    const QJsonObject made = json(project.run({"new", "board.csv", "--label", "label", "--json"}));
    const QJsonObject model = made["model"].toObject();
    QCOMPARE(model["chosen"].toString(), "boosted_trees");
    double ofTrees = 1e9;
    double ofOthers = 1e9;
    for (const QJsonValue& kind : model["kinds"].toArray()) {
        double& loss = kind["family"].toString() == "boosted_trees" ? ofTrees : ofOthers;
        loss = std::min(loss, kind["loss"].toDouble(1e9));
    }
    QVERIFY2(ofTrees < 0.9 * ofOthers, qPrintable(QString::number(ofTrees)));
    QCOMPARE(project.run({"check", "board.cannery"}).exitCode, 0);
    const ProgramResult trained = project.run({"train", "board.cannery", "--quiet"});
    QVERIFY2(trained.exitCode == 0, qPrintable(trained.err));
}

void TstModelJson::newTakesTheTreesThatAreAskedFor()
{
    const ProjectFixture project;
    const QStringList words{"new",         "table.csv",     "--label",    "label", "--dry-run",
                            "--estimator", "boosted_trees", "--no-tries", "--json"};
    const QJsonObject made = json(project.run(words));
    QCOMPARE(made["model"]["chosen"].toString(), "boosted_trees");
    const QString text = made["experiment_text"].toString();
    QVERIFY(text.contains("boosted_trees_classifier {"));
    QVERIFY(text.contains("histogram {"));
    QVERIFY(!text.contains("embedding_column"));
}

void TstModelJson::newLeavesColumnsOut()
{
    const ProjectFixture project;
    const QStringList words{"new",        "table.csv", "--label", "label",
                            "--no-tries", "--dry-run", "--json"};
    const QJsonObject made = json(project.run(words + QStringList{"--leave-out", "colour"}));
    QVERIFY(!made["experiment_text"].toString().contains("key: \"colour\""));
    QVERIFY(made["experiment_text"].toString().contains("key: \"x\""));
    QCOMPARE(made["left_out"].toArray().last()["column"].toString(), "colour");
    const ProgramResult refused =
        project.run({"new", "table.csv", "--label", "label", "--leave-out", "color"});
    QCOMPARE(refused.exitCode, 2);
    QVERIFY2(refused.err.contains("colour"), qPrintable(refused.err)); // the nearest name
    const ProgramResult label =
        project.run({"new", "table.csv", "--label", "label", "--leave-out", "label"});
    QCOMPARE(label.exitCode, 2);
    QVERIFY2(label.err.contains("The label 'label' cannot be left out"), qPrintable(label.err));
}

CANNERY_TEST(TstModelJson)
#include "tst_model_json.moc"
