// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"
#include "core/serving/block_predictor.h"
#include "core/serving/row_predictor.h"
#include "core/train/opened_model.h"
#include "tests/core/train/training_fixture.h"
#include "tests/support/allocation_counter.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <bit>
#include <cmath>
#include <fstream>
#include <mutex>

using namespace cannery;
using namespace cannery::tests;
using namespace cannery::serving;
using namespace cannery::train;

class TstRowPredictor : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void aRowAloneGivesTheBitsOfTheTable_data();
    void aRowAloneGivesTheBitsOfTheTable();
    void visitorsSeeEveryBlockOnce();
    void theFirstBadRowIsNamed();
    void anyTextIsACategory();
    void cellsOfTheWrongKindAreRefused();
    void missingCellsMeanWhatTheyMeanInTheTable();
    void warmPredictionsAllocateNothing();

private:
    std::unique_ptr<RowPredictor> rowPredictor();

    TrainingFixture m_fixture;
    std::optional<OpenedModel> m_model;
    data::FeatureBatch m_table;
};

namespace {

/// Buckets, crosses and a default in addition to the fixture's columns.
const std::string kMore = R"(
    data { column { name: "x" default_value: "4.5" missing_token: "?" } }
    feature_column { name: "x_buckets" bucketized_column { source_column: "x" boundaries: [2, 5, 8] } }
    feature_column { name: "x_indicator" indicator_column { categorical_column: "x_buckets" } }
    feature_column { name: "cross" crossed_column {
        key { feature: "c" } key { column: "x_buckets" } hash_bucket_size: 20 } }
    feature_column { name: "cross_emb" embedding_column { categorical_column: "cross" dimension: 2 } }
    estimator { dnn_linear_combined_classifier {
        linear_feature_columns: ["cross", "x_buckets"]
        dnn_feature_columns: ["x_indicator", "cross_emb"] } }
    train_spec { max_steps: 30 }
)";

/// The bits of every float of some predictions, and their integers.
std::vector<std::int64_t> bitsOf(std::span<const heads::Prediction> predictions, std::int64_t row)
{
    std::vector<std::int64_t> bits;
    for (const heads::Prediction& prediction : predictions) {
        for (std::int64_t i = row * prediction.width; i < (row + 1) * prediction.width; ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (prediction.dtype == DType::Float32) {
                bits.push_back(std::bit_cast<std::int32_t>(prediction.floats[at]));
            } else if (prediction.dtype != DType::String) {
                bits.push_back(prediction.integers[at]);
            }
        }
    }
    return bits;
}

const heads::Prediction& logitsOf(std::span<const heads::Prediction> predictions)
{
    return predictions.front();
}

} // namespace

void TstRowPredictor::initTestCase()
{
    VERIFY_OK(m_fixture.train(kMore));
    std::ofstream file(m_fixture.path("rows.csv"));
    file << "x,c,label\n";
    for (int row = 0; row < 700; ++row) {
        const std::string number = row % 13 == 5   ? ""
                                   : row % 17 == 9 ? "?"
                                                   : std::to_string(row * 0.37);
        file << number << "," << (row % 5 == 3 ? "" : std::string(1, char('a' + row % 7)))
             << ",0\n";
    }
    file.close();
    auto model = openModel({.modelDir = m_fixture.modelDir(), .threads = 1});
    VERIFY_OK(model);
    m_model.emplace(std::move(*model));
    const auto rows = data::Dataset::openFiles(m_model->experiment.data(), m_model->folder,
                                               {m_fixture.path("rows.csv")});
    VERIFY_OK(rows);
    const auto stream =
        rows->read({.features = m_model->encoder.inputKeys(), .labels = data::LabelNeed::None});
    VERIFY_OK(stream);
    auto table = (*stream)->next();
    VERIFY_OK(table);
    m_table = std::move(**table);
    QCOMPARE(m_table.rowCount, std::int64_t{700});
}

std::unique_ptr<RowPredictor> TstRowPredictor::rowPredictor()
{
    auto made = RowPredictor::create(m_model->encoder, m_model->model->model());
    return made ? std::move(*made) : nullptr;
}

void TstRowPredictor::aRowAloneGivesTheBitsOfTheTable_data()
{
    QTest::addColumn<int>("threads");
    QTest::newRow("one thread") << 1;
    QTest::newRow("three threads") << 3;
}

void TstRowPredictor::aRowAloneGivesTheBitsOfTheTable()
{
    QFETCH(int, threads);
    const auto blocks =
        BlockPredictor::create(m_model->encoder, m_model->model->model(), {.threads = threads});
    VERIFY_OK(blocks);
    PredictedTable table;
    VERIFY_OK((*blocks)->predict(m_table, {}, table));
    const auto alone = rowPredictor();
    QVERIFY(alone != nullptr);
    const auto x = alone->feature("x");
    const auto c = alone->feature("c");
    VERIFY_OK(x);
    VERIFY_OK(c);
    const auto find = [&](const char* name) -> const data::FeatureValues& {
        return m_table.features[m_table.features[0].name == name ? 0 : 1];
    };
    const auto& numbers = std::get<std::vector<float>>(find("x").elements);
    const auto& texts = std::get<StringColumn>(find("c").elements);
    for (std::int64_t row = 0; row < m_table.rowCount; ++row) {
        const auto at = static_cast<std::size_t>(row);
        VERIFY_OK(alone->setNumber(*x, numbers[at]));
        VERIFY_OK(alone->setText(*c, texts[at]));
        const auto outputs = alone->predict();
        VERIFY_OK(outputs);
        const auto& block = table.blocks[static_cast<std::size_t>(row / table.blockRows)];
        QCOMPARE(bitsOf(*outputs, 0), bitsOf(block, row % table.blockRows));
        QCOMPARE((*outputs)[4].strings[0],
                 block[4].strings[static_cast<std::size_t>(row % table.blockRows)]);
    }
}

void TstRowPredictor::visitorsSeeEveryBlockOnce()
{
    const auto blocks = BlockPredictor::create(m_model->encoder, m_model->model->model(),
                                               {.threads = 3, .blockRows = 64});
    VERIFY_OK(blocks);
    QCOMPARE((*blocks)->blockCount(m_table.rowCount), std::int64_t{11});
    std::mutex mutex;
    std::vector<std::int64_t> rowsOfBlock(11, 0);
    const auto visit = [&](const PredictedRows& rows, std::int64_t block) -> Result<void> {
        const std::lock_guard lock(mutex);
        rowsOfBlock[static_cast<std::size_t>(block)] += rows.rowCount;
        return {};
    };
    VERIFY_OK((*blocks)->predict(m_table, {}, visit));
    std::vector<std::int64_t> expected(10, 64);
    expected.push_back(60);
    QCOMPARE(rowsOfBlock, expected);
}

void TstRowPredictor::theFirstBadRowIsNamed()
{
    data::FeatureBatch table = m_table;
    for (data::FeatureValues& values : table.features) {
        if (values.name == "x") {
            values.valid.assign(700, 1);
            values.valid[600] = 0;
            values.valid[300] = 0;
        }
    }
    const auto blocks = BlockPredictor::create(m_model->encoder, m_model->model->model(),
                                               {.threads = 3, .blockRows = 64});
    VERIFY_OK(blocks);
    PredictedTable predicted;
    const std::vector<std::string> files{"rows.csv"};
    const auto refused = (*blocks)->predict(table, files, predicted);
    VERIFY_ERROR(refused, "features.missing_number");
    const std::string place = "rows.csv:" + std::to_string(table.line[300]);
    QVERIFY2(refused.error().sentence.find(place) != std::string::npos,
             refused.error().sentence.c_str());
}

void TstRowPredictor::anyTextIsACategory()
{
    const auto row = rowPredictor();
    QVERIFY(row != nullptr);
    const auto x = row->feature("x");
    const auto c = row->feature("c");
    VERIFY_OK(row->setNumber(*x, 1.5));
    // What is no text is in no table either.
    for (const std::string& text : {std::string("\0", 1), std::string("\xff\xfe")}) {
        VERIFY_ERROR(row->setText(*c, text), "predict.cell");
    }
    for (const std::string& text :
         {std::string(), std::string("a"), std::string(1U << 20U, 'q'), std::string("\u00e9")}) {
        VERIFY_OK(row->setText(*c, text));
        const auto outputs = row->predict();
        VERIFY_OK(outputs);
        QVERIFY(std::isfinite(logitsOf(*outputs).floats[0]));
    }
    for (const double number : {std::nan(""), static_cast<double>(INFINITY), -1e308, 1e308}) {
        VERIFY_OK(row->setNumber(*x, number));
        VERIFY_OK(row->predict());
    }
    VERIFY_OK(row->setNumber(*x, std::nan(""))); // a missing cell
    QVERIFY(std::isfinite(logitsOf(*row->predict()).floats[0]));
}

void TstRowPredictor::cellsOfTheWrongKindAreRefused()
{
    const auto row = rowPredictor();
    QVERIFY(row != nullptr);
    VERIFY_ERROR(row->feature("xx"), "predict.no_feature");
    const auto x = row->feature("x");
    const auto c = row->feature("c");
    VERIFY_ERROR(row->setText(*x, "warm"), "predict.cell");
    const auto two = row->setNumbers(*x, std::vector<double>{1, 2});
    VERIFY_ERROR(two, "predict.cell_count");
    QCOMPARE(two.error().sentence,
             std::string("Feature 'x' takes one value of type float32, but 2 are given."));
    VERIFY_ERROR(row->setTexts(*x, {}), "predict.cell_count");
    const std::string endless(1U << 20U, 'z');
    const auto shown = row->setText(*x, endless);
    VERIFY_ERROR(shown, "predict.cell");
    QVERIFY2(shown.error().sentence.size() < 200, shown.error().sentence.c_str());
    VERIFY_OK(row->setNumber(*c, 1.5)); // a text
    VERIFY_OK(row->setNumber(*c, 12));
    VERIFY_OK(row->setText(*x, " 1.5 "));
    VERIFY_OK(row->predict());
}

void TstRowPredictor::missingCellsMeanWhatTheyMeanInTheTable()
{
    const auto row = rowPredictor();
    QVERIFY(row != nullptr);
    const auto x = row->feature("x");
    VERIFY_OK(row->setText(*x, "4.5"));
    const auto set = row->predict();
    VERIFY_OK(set);
    const auto expected = bitsOf(*set, 0);
    VERIFY_OK(row->setText(*x, "8"));
    VERIFY_OK(row->setText(*x, "?"));
    QCOMPARE(bitsOf(*row->predict(), 0), expected);
    VERIFY_OK(row->setText(*x, "8"));
    row->clearAll();
    QCOMPARE(bitsOf(*row->predict(), 0), expected);
}

void TstRowPredictor::warmPredictionsAllocateNothing()
{
    if (!allocationsAreCounted()) {
        QSKIP("a sanitizer has the allocator to itself");
    }
    const auto row = rowPredictor();
    const auto blocks =
        BlockPredictor::create(m_model->encoder, m_model->model->model(), {.threads = 1});
    QVERIFY(row != nullptr && blocks.has_value());
    const auto x = row->feature("x");
    const auto c = row->feature("c");
    PredictedTable table;
    const auto work = [&] {
        bool isDone = true;
        for (const std::string_view text : {"a", "unknown", "", "d"}) {
            isDone = isDone && row->setText(*c, text) && row->setNumber(*x, 3.5) && row->predict();
        }
        return isDone && (*blocks)->predict(m_table, {}, table);
    };
    QVERIFY(work());
    QVERIFY(work());
    const auto before = allocationCount();
    const bool isDone = work();
    const auto allocated = allocationCount() - before;
    QVERIFY(isDone);
    QCOMPARE(allocated, std::int64_t{0});
}

CANNERY_TEST(TstRowPredictor)
#include "tst_row_predictor.moc"
