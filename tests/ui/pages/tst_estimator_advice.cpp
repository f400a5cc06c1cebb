// SPDX-License-Identifier: GPL-3.0-only
#include "tests/support/patience.h"
#include "tests/support/test_main.h"
#include "tests/ui/pages/page_bench.h"
#include "ui/document/experiment_document.h"
#include "ui/document/field_node.h"
#include "ui/editing/estimator_advice.h"
#include "ui/models/tables/column_facts.h"
#include "ui/widgets/segmented.h"

#include <QAbstractButton>
#include <QTest>

using cannery::tests::kPatience;
using cannery::ui::ColumnFacts;
using cannery::ui::DataFacts;
using cannery::ui::EstimatorAdvice;
using cannery::ui::FieldNode;

Q_DECLARE_METATYPE(cannery::ui::EstimatorAdvice::Make)

/// What the gallery of estimators says about the table at hand.
class TstEstimatorAdvice : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theTableDecidesWhatIsSaid_data();
    void theTableDecidesWhatIsSaid();
    void classesAreComparedWithTheExperiment();
    void nothingIsSaidOfAnUnknownTable();
    void theTilesTellOfTheTable();
    void clustersNeedNoLabelAndNoHead();

private:
    static DataFacts table(qint64 rows, int numbers, int categories, const ColumnFacts& label);
};

DataFacts TstEstimatorAdvice::table(qint64 rows, int numbers, int categories,
                                    const ColumnFacts& label)
{
    DataFacts data{.trainRows = rows, .columns = {label}};
    for (int i = 0; i < numbers + categories; ++i) {
        data.columns.append({.name = QString("c%1").arg(i),
                             .type = i < numbers ? "number" : "category",
                             .use = "feature"});
    }
    data.columns.append({.name = "id", .type = "category", .use = "ignored"});
    return data;
}

void TstEstimatorAdvice::theTableDecidesWhatIsSaid_data()
{
    QTest::addColumn<qint64>("rows");
    QTest::addColumn<int>("numbers");
    QTest::addColumn<int>("categories");
    QTest::addColumn<QString>("label");
    QTest::addColumn<qint64>("values");
    QTest::addColumn<EstimatorAdvice::Make>("make");
    QTest::addColumn<QString>("said");
    const EstimatorAdvice::Make classes{.givesClasses = true, .isAverage = true};
    const EstimatorAdvice::Make trees{.givesClasses = true};
    const EstimatorAdvice::Make line{.givesClasses = true, .isWide = true};
    const EstimatorAdvice::Make network{.givesClasses = true, .isDeep = true};
    const EstimatorAdvice::Make both{.givesClasses = true, .isWide = true, .isDeep = true};
    const EstimatorAdvice::Make numberLine{.givesNumbers = true, .isWide = true};
    const EstimatorAdvice::Make numbers{.givesNumbers = true, .isAverage = true};
    const EstimatorAdvice::Make ownHead{.isDeep = true};
    QTest::newRow("a line reads categories")
        << 50'000LL << 8 << 3 << "category" << 2LL << line
        << "3 of 11 columns are categories: one weight for each of their values.";
    QTest::newRow("a line reads one category")
        << 50'000LL << 1 << 1 << "category" << 2LL << line
        << "1 of 2 columns is a category: one weight for each of their values.";
    QTest::newRow("a line reads numbers")
        << 50'000LL << 8 << 0 << "category" << 2LL << line
        << "All columns are numbers: one weight each, unless cut into buckets.";
    QTest::newRow("a network has few rows") << 6'000LL << 8 << 3 << "category" << 2LL << network
                                            << "6,000 rows: a deep network may overfit.";
    QTest::newRow("a network has enough rows")
        << 10'000LL << 8 << 3 << "category" << 2LL << network
        << "3 of 11 columns are categories: read through indicators or embeddings.";
    QTest::newRow("a network reads numbers") << 10'000LL << 8 << 0 << "number" << 2LL << network
                                             << "10,000 rows of numbers: enough for a network.";
    QTest::newRow("both sides are used")
        << 50'000LL << 8 << 3 << "category" << 2LL << both
        << "3 categories for the wide side, 8 numbers for the deep side.";
    QTest::newRow("the wide side has nothing")
        << 50'000LL << 8 << 0 << "number" << 2LL << both
        << "No column is a category: the wide side has little to add.";
    QTest::newRow("measured numbers are no classes")
        << 50'000LL << 8 << 3 << "number" << 891LL << line
        << "The label has 891 different numbers: a regressor suits it better.";
    QTest::newRow("words are no numbers")
        << 50'000LL << 8 << 3 << "category" << 5LL << numberLine
        << "The label has 5 classes: a classifier suits it better.";
    QTest::newRow("two numbers are classes")
        << 50'000LL << 8 << 3 << "number" << 2LL << numberLine
        << "The label has 2 classes: a classifier suits it better.";
    QTest::newRow("numbers are predicted")
        << 50'000LL << 8 << 0 << "number" << 400LL << numberLine
        << "All columns are numbers: one weight each, unless cut into buckets.";
    QTest::newRow("the most frequent class")
        << 100LL << 8 << 0 << "number" << 2LL << classes
        << "Always gives the most frequent class: right in 62.0\u2009% of the rows.";
    QTest::newRow("the mean")
        << 100LL << 8 << 0 << "number" << 400LL << numbers
        << "Always gives the mean, 23.50; the label's standard deviation is 7.250.";
    QTest::newRow("trees neither weigh nor average")
        << 100LL << 8 << 3 << "category" << 2LL << trees << "";
    QTest::newRow("an own head") << 100LL << 8 << 0 << "number" << 400LL << ownHead
                                 << "100 rows: a deep network may overfit.";
}

void TstEstimatorAdvice::theTableDecidesWhatIsSaid()
{
    QFETCH(qint64, rows);
    QFETCH(int, numbers);
    QFETCH(int, categories);
    QFETCH(QString, label);
    QFETCH(qint64, values);
    QFETCH(EstimatorAdvice::Make, make);
    QFETCH(QString, said);
    const DataFacts data =
        table(rows, numbers, categories,
              {.name = "y",
               .type = label,
               .use = "label",
               .distinct = values,
               .mean = 23.5,
               .deviation = 7.25,
               .values = {{.value = "0", .train = 62}, {.value = "1", .train = 38}}});
    QCOMPARE(EstimatorAdvice(data, FieldNode()).about(make), said);
}

void TstEstimatorAdvice::classesAreComparedWithTheExperiment()
{
    const auto said = [](const QByteArray& estimator) {
        cannery::tests::PageBench bench;
        const QString file = bench.folder() + "/a.cannery";
        QFile experiment(file);
        [&] { QVERIFY(experiment.open(QIODevice::WriteOnly)); }();
        experiment.write("data { train { csv { files: \"a.csv\" } } label { column: \"y\" } }\n"
                         "estimator { " +
                         estimator + " }\n");
        experiment.close();
        bench.open(file);
        [&] { QTRY_VERIFY_WITH_TIMEOUT(bench.session().document().isSettled(), kPatience); }();
        return EstimatorAdvice(
                   table(50'000, 2, 0,
                         {.name = "y", .type = "number", .use = "label", .distinct = 5}),
                   bench.session().document().root())
            .about({.givesClasses = true, .isWide = true});
    };
    const QString two = said("baseline_classifier { }");
    QVERIFY2(two.startsWith("The label has 5 classes: set n_classes to 5. All columns"),
             qPrintable(two));
    const QString five = said("baseline_classifier { n_classes: 5 }");
    QVERIFY2(five.startsWith("The label has 5 classes: n_classes 5. All columns"),
             qPrintable(five));
}

void TstEstimatorAdvice::nothingIsSaidOfAnUnknownTable()
{
    for (const bool isWide : {false, true}) {
        for (const bool isDeep : {false, true}) {
            const EstimatorAdvice::Make make{
                .givesClasses = true, .isWide = isWide, .isDeep = isDeep};
            QCOMPARE(EstimatorAdvice(DataFacts(), FieldNode()).about(make), QString());
        }
    }
}

void TstEstimatorAdvice::theTilesTellOfTheTable()
{
    cannery::tests::PageBench bench;
    bench.script("plan", "{}");
    bench.script("check", R"({"problems": []})");
    bench.script("preview", R"({"sources": {"train": {"rows": 627}}, "columns": [
        {"name": "survived", "type": "number", "use": "label", "distinct": 2},
        {"name": "age", "type": "number", "use": "feature", "distinct": 70},
        {"name": "sex", "type": "category", "use": "feature", "distinct": 2}], "texts": []})");
    cannery::ui::Page* page = bench.page("model");
    bench.openTitanic(false);
    const auto said = [&](const QString& estimator) {
        const auto* tile = page->findChild<QAbstractButton*>("tile." + estimator);
        return tile == nullptr ? QString() : tile->accessibleDescription();
    };
    QTRY_COMPARE_WITH_TIMEOUT(said("dnn_classifier"), "627 rows: a deep network may overfit.",
                              kPatience);
    QCOMPARE(said("linear_classifier"),
             "1 of 2 columns is a category: one weight for each of their values.");
    QCOMPARE(said("dnn_linear_combined_classifier"),
             "2 crosses for the wide side, one number for the deep side.");
    QVERIFY(said("boosted_trees_classifier").startsWith("Decision trees, each correcting"));
    // What the estimator is in itself stays in the tooltip and where nothing is known of the table.
    const auto* network = page->findChild<QAbstractButton*>("tile.dnn_classifier");
    QVERIFY(network->toolTip().startsWith("DNNClassifier"));
    QVERIFY(!said("baseline_classifier").isEmpty());
}

void TstEstimatorAdvice::clustersNeedNoLabelAndNoHead()
{
    cannery::tests::PageBench bench;
    bench.script("plan", "{}");
    bench.script("check", R"({"problems": []})");
    cannery::ui::Page* page = bench.page("model");
    bench.openTitanic(false);
    auto* tasks = page->findChild<cannery::ui::Segmented*>("field.task");
    const auto has = [&](const char* estimator) {
        return page->findChild<QWidget*>(QString("tile.%1").arg(estimator)) != nullptr;
    };
    QTRY_VERIFY_WITH_TIMEOUT(has("dnn_classifier"), kPatience);
    tasks->setCurrentIndex(2);
    QTRY_VERIFY_WITH_TIMEOUT(has("dnn_estimator") && !has("kmeans"), kPatience);
    tasks->setCurrentIndex(3);
    QTRY_VERIFY_WITH_TIMEOUT(has("kmeans") && !has("dnn_estimator"), kPatience);
}

CANNERY_TEST(TstEstimatorAdvice)
#include "tst_estimator_advice.moc"
