// SPDX-License-Identifier: Apache-2.0
#include "core/train/evaluation/model_evaluation.h"
#include "core/train/exporters/verified_export.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QtTest>

#include <fstream>

using namespace cannery;
using namespace cannery::train;
using cannery::tests::TrainingFixture;

namespace {

constexpr std::int64_t kRows = 20;

/// Every fifth number is missing, and such rows have the label 1.
void writeTable(const std::string& path, int rows)
{
    std::ofstream file(path);
    file << "n,label\n";
    for (int row = 0; row < rows; ++row) {
        const int number = (row * 7919 + 13) % 50;
        if (row % 5 == 0) {
            file << ",1\n";
        } else {
            file << number << "," << number % 2 << "\n";
        }
    }
}

const std::string kN = "feature_column { name: 'n' numeric_column { key: 'n' } } ";

std::string trees(const std::string& columns)
{
    return "estimator { boosted_trees_classifier { feature_columns: [" + columns +
           "] n_trees: 5 histogram { min_rows_per_leaf: 3 } } } ";
}

} // namespace

/// Whole numbers that are missing reach an export's graphs as they reach the model.
class TstMissingNumbers : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void exportsAgree_data();
    void exportsAgree();
};

void TstMissingNumbers::exportsAgree_data()
{
    QTest::addColumn<QString>("text");
    const auto row = [](const char* name, const std::string& text) {
        QTest::newRow(name) << QString::fromStdString(text);
    };
    row("trees learn where they go", kN + trees("'n'"));
    row("trees, and a default of the table",
        kN + trees("'n'") + "data { column { name: 'n' default_value: '4' } }");
    row("trees, as a number and as a category",
        kN + trees("'n', 'one_hot'") +
            "feature_column { name: 'ids' categorical_column_with_identity { key: 'n' num_buckets: "
            "50 } } "
            "feature_column { name: 'one_hot' indicator_column { categorical_column: 'ids' } }");
    const std::string withDefault =
        "feature_column { name: 'n' numeric_column { key: 'n' default_value: 3 } } ";
    row("a default of the column",
        withDefault + "estimator { linear_classifier { feature_columns: 'n' } }");
    row("columns of several defaults",
        withDefault +
            "feature_column { name: 'other' numeric_column { key: 'n' default_value: 40 } }"
            "feature_column { name: 'buckets' bucketized_column { source_column: 'other' "
            "boundaries: [10, 30] } }"
            "estimator { linear_classifier { feature_columns: ['n', 'buckets'] } }");
}

void TstMissingNumbers::exportsAgree()
{
    QFETCH(QString, text);
    TrainingFixture fixture;
    writeTable(fixture.path("train.csv"), 100);
    writeTable(fixture.path("eval.csv"), 30);
    VERIFY_OK(fixture.train(text.toStdString() +
                            " train_spec { max_steps: 5 input { batch_size: 20 } } "
                            "eval_spec { throttle_secs: 0 }"));
    auto model = openModel({.modelDir = fixture.modelDir()});
    VERIFY_OK(model);
    for (const auto receiver : {spec::Receiver::parsing, spec::Receiver::raw}) {
        const auto made = exportVerified(
            *model, {.exportBase = fixture.path("served_" + std::to_string(receiver)),
                     .checkpoint = model->checkpoint,
                     .receiver = receiver,
                     .modes = exporting::ExportModes::Evaluation});
        VERIFY_OK(made);
        QCOMPARE(made->verification.rows, kRows);
        QCOMPARE(made->verification.equal, kRows);
        QVERIFY(made->verifiedMetrics > 1);
    }
}

CANNERY_TEST(TstMissingNumbers)
#include "tst_missing_numbers.moc"
