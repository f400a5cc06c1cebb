// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/test_main.h"
#include "ui/document/experiment_reading.h"
#include "ui/editing/experiment_facts.h"
#include "ui/editing/feature_list_model.h"
#include "ui/models/formats.h"
#include "ui/pages/model/network_sketch.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QTest>

using namespace cannery;
using namespace cannery::ui;

class TstExperimentFacts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void titanicIsToldWhole();
    void featuresTellTheirWayAndTheirCost();
    void linearModelIsWideOnly();
    void recurrentNetworkIsDrawnByItsCell();
    void boostedTreesAreDrawnAsTrees_data();
    void boostedTreesAreDrawnAsTrees();
    void groupsAreDrawnAsCenters();
    void aModelWithoutALabelSaysWhatItFinds();
    void onlyAModelOfTwoHalvesTellsThemApart();
    void nothingIsReadFromNothing();
    void listIsAModel();

private:
    static ExperimentFacts of(const QByteArray& text)
    {
        return ExperimentFacts::of(readExperiment(text, "test.cannery")->root);
    }
    static ExperimentFacts titanic() { return example("titanic/titanic.cannery"); }
    static ExperimentFacts example(const QString& path)
    {
        QFile file(CANNERY_SOURCE_DIR "/resources/examples/" + path);
        return file.open(QIODevice::ReadOnly) ? of(file.readAll()) : ExperimentFacts();
    }
    static FeatureFacts feature(const ExperimentFacts& facts, const QString& name)
    {
        for (const FeatureFacts& feature : facts.features) {
            if (feature.name == name) {
                return feature;
            }
        }
        return {};
    }
};

void TstExperimentFacts::titanicIsToldWhole()
{
    const ExperimentFacts facts = titanic();
    QCOMPARE(facts.trainFiles, QStringList{"titanic_train.csv"});
    QCOMPARE(facts.evalFiles, QStringList{"titanic_eval.csv"});
    QCOMPARE(facts.label, "survived");
    QCOMPARE(facts.estimatorTitle, "Wide and deep classifier");
    QCOMPARE(facts.className, "DNNLinearCombinedClassifier");
    QCOMPARE(facts.head, "Yes or no");
    QCOMPARE(facts.hiddenUnits, (QList<qint64>{64, 32}));
    QCOMPARE(facts.maxSteps, 1000);
    QCOMPARE(facts.batchSize, 32);
    QCOMPARE(facts.recipe, "Wide and deep classifier · 64-32 · lr 0.05");
    QCOMPARE(facts.crossCount(), 2);
    QCOMPARE(facts.width(FeatureSide::Wide), 2 + 3 + 8 + 4 + 2 + 7 + 50 + 100);
    QCOMPARE(facts.width(FeatureSide::Deep), 1 + 1 + 1 + 1 + 2 + 3 + 4 + 2);
}

void TstExperimentFacts::featuresTellTheirWayAndTheirCost()
{
    const ExperimentFacts facts = titanic();
    const FeatureFacts buckets = feature(facts, "age_buckets");
    QCOMPARE(buckets.sources, QStringList{"age"});
    QCOMPARE(buckets.width, 7);
    QCOMPARE(buckets.parameters, 7);
    QCOMPARE(buckets.side, FeatureSide::Wide);
    const FeatureFacts embedding = feature(facts, "deck_embedding");
    QCOMPARE(embedding.width, 4);
    QCOMPARE(embedding.parameters, 32);
    QCOMPARE(embedding.side, FeatureSide::Deep);
    QCOMPARE(embedding.steps.last().word, "embedding");
    const FeatureFacts cross = feature(facts, "sex_x_age");
    QVERIFY(cross.isCross);
    QCOMPARE(cross.sources, (QStringList{"sex", "age buckets"}));
    QCOMPARE(feature(facts, "age").side, FeatureSide::Source);
    QCOMPARE(feature(facts, "age_scaled").steps.first(),
             (FeatureStep{.word = "normalise", .detail = "z-score"}));
}

void TstExperimentFacts::linearModelIsWideOnly()
{
    const ExperimentFacts facts = of(R"(
data { train { csv { files: "a.csv" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" shape: [3] } }
estimator { linear_regressor { feature_columns: ["x"] } }
train_spec { max_steps: 10 }
)");
    QVERIFY(facts.has(FeatureSide::Wide) && !facts.has(FeatureSide::Deep));
    QCOMPARE(facts.width(FeatureSide::Wide), 3);
    QCOMPARE(facts.width(FeatureSide::Deep), 0);
    QCOMPARE(facts.head, "Number");
}

void TstExperimentFacts::recurrentNetworkIsDrawnByItsCell()
{
    const ExperimentFacts facts = example("visits/visits.cannery");
    QCOMPARE(facts.hiddenUnits, QList<qint64>{16});
    QCOMPARE(facts.cell, "lstm");
    NetworkSketch sketch;
    sketch.setFacts(facts);
    // Four gates of 16 units, each with 8 inputs, 16 outputs before and a bias.
    QCOMPARE(sketch.accessibleDescription(),
             QString("Sequence, 8 inputs; LSTM 16, %1; Logit, 17").arg(formatShortCount(1600)));
}

void TstExperimentFacts::boostedTreesAreDrawnAsTrees_data()
{
    QTest::addColumn<QByteArray>("arguments");
    QTest::addColumn<QString>("drawn");
    const auto row = [](const char* name, const char* arguments, const char* trees) {
        QTest::newRow(name) << QByteArray(arguments)
                            << QString("Columns, 2; %1; Logit, their sum").arg(trees);
    };
    row("layers", "n_trees: 50 max_depth: 4", "50 trees, up to 16 leaves");
    row("defaults", "", "100 trees, up to 64 leaves");
    row("one tree", "n_trees: 1 max_depth: 1", "One tree, up to 2 leaves");
    row("no bound worth telling", "n_trees: 50 max_depth: 1000", "50 trees");
    row("leaf by leaf", "histogram {}", "100 trees, up to 31 leaves");
    row("leaf by leaf, shallow", "max_depth: 3 histogram {}", "100 trees, up to 8 leaves");
    row("leaf by leaf, deep", "max_depth: 1000 histogram { max_leaves: 7 }",
        "100 trees, up to 7 leaves");
}

void TstExperimentFacts::boostedTreesAreDrawnAsTrees()
{
    QFETCH(QByteArray, arguments);
    QFETCH(QString, drawn);
    NetworkSketch sketch;
    sketch.setFacts(of(R"(
data { train { csv { files: "a.csv" } } label { column: "y" } }
feature_column { name: "x" numeric_column { key: "x" shape: [3] } }
feature_column { name: "z" numeric_column { key: "z" } }
feature_column { name: "other" numeric_column { key: "other" } }
estimator { boosted_trees_regressor { feature_columns: ["x", "z"] )" +
                       arguments + " } }\n"));
    QCOMPARE(sketch.accessibleDescription(), drawn);
}

void TstExperimentFacts::groupsAreDrawnAsCenters()
{
    NetworkSketch sketch;
    sketch.setFacts(example("penguin_groups/penguin_groups.cannery"));
    QCOMPARE(sketch.accessibleDescription(), "Columns, 4 inputs; 3 centers, the nearest");
}

void TstExperimentFacts::aModelWithoutALabelSaysWhatItFinds()
{
    const ExperimentFacts clusters = example("penguin_groups/penguin_groups.cannery");
    QCOMPARE(clusters.aim(), "finds 3 clusters");
    QCOMPARE(clusters.inputs(), "4 inputs");
    QCOMPARE(clusters.head, "Clusters");
}

void TstExperimentFacts::onlyAModelOfTwoHalvesTellsThemApart()
{
    const auto inputsOf = [](const char* estimator) {
        return of(R"(
feature_column { name: "x" numeric_column { key: "x" shape: [3] } }
feature_column { name: "z" numeric_column { key: "z" } }
estimator { )" + QByteArray(estimator) +
                  " }\n")
            .inputs();
    };
    QCOMPARE(inputsOf(R"(linear_classifier { feature_columns: "z" })"), "one input");
    QCOMPARE(inputsOf(R"(dnn_linear_combined_classifier { linear_feature_columns: "z"
                         dnn_feature_columns: "x" dnn_hidden_units: 4 })"),
             "wide 1 · deep 3");
}

void TstExperimentFacts::nothingIsReadFromNothing()
{
    const ExperimentFacts facts = ExperimentFacts::of({});
    QVERIFY(!facts.hasModel());
    QVERIFY(facts.features.isEmpty());
    QVERIFY(facts.recipe.isEmpty());
}

void TstExperimentFacts::listIsAModel()
{
    FeatureListModel model;
    const QAbstractItemModelTester tester(&model,
                                          QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setFeatures(titanic().features);
    QCOMPARE(model.rowCount(), 17);
    QVERIFY(model.at(16)->isCross);
    QVERIFY(!model.at(0)->isCross);
    const int row = model.rowOf("deck_embedding");
    QCOMPARE(model.index(row, FeatureListModel::FeatureColumn).data().toString(),
             "deck → vocabulary 8 → embedding 4");
    QCOMPARE(model.index(row, FeatureListModel::SideColumn).data().toString(), "deep");
}

CANNERY_TEST(TstExperimentFacts)

#include "tst_experiment_facts.moc"
