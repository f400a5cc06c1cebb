// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/encoded_row_block.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <array>

using namespace cannery;
using namespace cannery::features;

/// Lists as sequences. That they are those of TensorFlow is tested with its own transforms
/// (tst_feature_transforms).
class TstSequenceColumns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void unknownCategoriesKeepTheirPlace();
    void numbersAreCutIntoSteps();
    void rowsOfFixedLengthEndAtTheirLastCategory();
    void missingNumbersOfFixedRowsArePadding();
    void rowsMayHaveNoSteps();
    void sequencesOfARowHaveTheSameNumberOfSteps();
    void oneValuePerRowIsNoList_data();
    void oneValuePerRowIsNoList();
    void unsafeLookupsWantNoIdInEveryStep();
    void survivesTheRowFile();
    void rowFilesThatDoNotFitAreRefused();
    void rowFilesWithUnequalStepsAreRefused();
};

namespace {

const std::vector<std::string> kFiles{"train.csv"};
/// The slots of two sequences.
constexpr std::array kBoth{0, 1};

Result<FeatureEncoder> encoderOf(const std::string& sequences)
{
    spec::Experiment experiment;
    const std::string text = R"(
        feature_column { name: "word" sequence_categorical_column_with_vocabulary_list {
            key: "words" vocabulary_list: ["up", "down"] } }
        feature_column { name: "id" sequence_categorical_column_with_identity {
            key: "ids" num_buckets: 5 } }
        feature_column { name: "force" sequence_numeric_column { key: "force" } }
        feature_column { name: "pair" sequence_numeric_column { key: "force" shape: 2
            default_value: -1 normalizer { subtract_divide { subtract: 1 divide: 2 } } } }
        feature_column { name: "words" embedding_column {
            categorical_column: "word" dimension: 2 } }
        feature_column { name: "unsafe" embedding_column {
            categorical_column: "word" dimension: 2 use_safe_embedding_lookup: false } }
        feature_column { name: "ids" indicator_column { categorical_column: "id" } }
        estimator { rnn_classifier { units: 2 sequence_feature_columns: [)" +
                             sequences + "] } }";
    const bool isRead = google::protobuf::TextFormat::ParseFromString(text, &experiment);
    CANNERY_CHECK(isRead);
    return FeatureEncoder::create(experiment, ".");
}

data::FeatureValues listNamed(const std::string& name, std::vector<std::int64_t> offsets)
{
    data::FeatureValues values;
    values.name = name;
    values.sparse = true;
    values.shape = Shape{-1};
    values.rowOffsets = std::move(offsets);
    return values;
}

data::FeatureValues words(const std::vector<std::string>& texts, std::vector<std::int64_t> offsets)
{
    data::FeatureValues values = listNamed("words", std::move(offsets));
    StringColumn column;
    for (const std::string& text : texts) {
        column.push_back(text);
    }
    values.elements = std::move(column);
    return values;
}

data::FeatureValues force(std::vector<float> numbers, std::vector<std::int64_t> offsets)
{
    data::FeatureValues values = listNamed("force", std::move(offsets));
    values.dtype = DType::Float32;
    values.elements = std::move(numbers);
    return values;
}

data::FeatureBatch batchOf(std::int64_t rows, std::vector<data::FeatureValues> features)
{
    data::FeatureBatch batch;
    batch.rowCount = rows;
    batch.features = std::move(features);
    for (std::int64_t row = 0; row < rows; ++row) {
        batch.fileIndex.push_back(0);
        batch.line.push_back(row + 2);
    }
    return batch;
}

Result<EncodedRows> encoded(const std::string& sequences, const data::FeatureBatch& batch)
{
    CANNERY_TRY_ASSIGN(const FeatureEncoder encoder, encoderOf(sequences));
    return encoder.encode(batch, Labels::None, kFiles);
}

InputLayout withoutLabel(InputLayout layout)
{
    layout.labelWidth = 0;
    return layout;
}

} // namespace

void TstSequenceColumns::unknownCategoriesKeepTheirPlace()
{
    const auto rows =
        encoded("'words'", batchOf(2, {words({"down", "sideways", "up", "up"}, {0, 3, 4})}));
    VERIFY_OK(rows);
    QCOMPARE(rows->ids[0].ids, (std::vector<std::int32_t>{1, -1, 0, 0}));
    QCOMPARE(rows->ids[0].rowOffsets, (std::vector<std::int64_t>{0, 3, 4}));
}

void TstSequenceColumns::numbersAreCutIntoSteps()
{
    const auto rows = encoded("'pair'", batchOf(2, {force({1, 3, 5, 7, 9}, {0, 3, 5})}));
    VERIFY_OK(rows);
    QCOMPARE(rows->sequences[0].width, std::int64_t{2});
    QCOMPARE(rows->sequences[0].rowOffsets, (std::vector<std::int64_t>{0, 2, 3}));
    // The padding of the step that lacks a number is not normalized.
    QCOMPARE(rows->sequences[0].values, (std::vector<float>{0, 1, 2, -1, 3, 4}));
}

void TstSequenceColumns::rowsOfFixedLengthEndAtTheirLastCategory()
{
    data::FeatureValues ids;
    ids.name = "ids";
    ids.dtype = DType::Int64;
    ids.shape = Shape{3};
    ids.elements = std::vector<std::int64_t>{4, -1, 2, 1, -1, -1};
    const auto rows = encoded("'ids'", batchOf(2, {ids}));
    VERIFY_OK(rows);
    QCOMPARE(rows->ids[0].ids, (std::vector<std::int32_t>{4, -1, 2, 1}));
    QCOMPARE(rows->ids[0].rowOffsets, (std::vector<std::int64_t>{0, 3, 4}));
}

void TstSequenceColumns::missingNumbersOfFixedRowsArePadding()
{
    data::FeatureValues numbers = force({1, 0, 3, 5}, {});
    numbers.sparse = false;
    numbers.shape = Shape{4};
    numbers.valid = {1, 0, 1, 1};
    const auto rows = encoded("'pair'", batchOf(1, {numbers}));
    VERIFY_OK(rows);
    QCOMPARE(rows->sequences[0].values, (std::vector<float>{0, -1, 1, 2}));
}

void TstSequenceColumns::rowsMayHaveNoSteps()
{
    const auto rows =
        encoded("'words', 'force'", batchOf(2, {words({"up"}, {0, 0, 1}), force({5}, {0, 0, 1})}));
    VERIFY_OK(rows);
    QCOMPARE(rows->ids[0].rowOffsets, (std::vector<std::int64_t>{0, 0, 1}));
    QCOMPARE(rows->sequences[0].rowOffsets, (std::vector<std::int64_t>{0, 0, 1}));
}

void TstSequenceColumns::sequencesOfARowHaveTheSameNumberOfSteps()
{
    const auto rows =
        encoded("'words', 'force'",
                batchOf(2, {words({"up", "up", "up"}, {0, 1, 3}), force({5, 6}, {0, 1, 2})}));
    VERIFY_ERROR(rows, "features.step_counts");
    QCOMPARE(rows.error().sentence,
             std::string("train.csv:3: the sequence 'force' has 1 steps, but 'word' has 2. All "
                         "sequences of a row need the same number: correct the row, or leave one "
                         "of them out of sequence_feature_columns."));
}

void TstSequenceColumns::oneValuePerRowIsNoList_data()
{
    QTest::addColumn<QString>("column");
    QTest::newRow("texts") << "words";
    QTest::newRow("numbers") << "force";
}

void TstSequenceColumns::oneValuePerRowIsNoList()
{
    QFETCH(QString, column);
    data::FeatureValues texts = words({"up|down"}, {});
    data::FeatureValues numbers = force({1}, {});
    for (data::FeatureValues* values : {&texts, &numbers}) {
        values->sparse = false;
        values->shape = Shape{1};
    }
    const auto rows = encoded("'" + column.toStdString() + "'", batchOf(1, {texts, numbers}));
    VERIFY_ERROR(rows, "features.no_list");
    QVERIFY(rows.error().sentence.rfind(
                "Feature '" + column.toStdString() + "' has one value per row", 0) == 0);
}

/// As in TensorFlow, which looks steps up safely whatever use_safe_embedding_lookup says.
void TstSequenceColumns::unsafeLookupsWantNoIdInEveryStep()
{
    VERIFY_OK(encoded("'unsafe'", batchOf(2, {words({"up", "down"}, {0, 0, 2})})));
    const auto unknown = encoded("'unsafe'", batchOf(1, {words({"up", "sideways"}, {0, 2})}));
    VERIFY_OK(unknown);
    QCOMPARE(unknown->ids[0].ids, (std::vector<std::int32_t>{0, -1}));
}

void TstSequenceColumns::survivesTheRowFile()
{
    const auto encoder = encoderOf("'words', 'pair'");
    VERIFY_OK(encoder);
    const auto rows = encoder->encode(
        batchOf(2, {words({"up", "down"}, {0, 2, 2}), force({1, 2, 3}, {0, 3, 3})}), Labels::None);
    VERIFY_OK(rows);
    EncodedRows again;
    QVERIFY(fromBlock(toBlock(*rows), withoutLabel(encoder->layout()), kBoth, again));
    QCOMPARE(again.sequences[0].width, std::int64_t{2});
    QCOMPARE(again.sequences[0].rowOffsets, rows->sequences[0].rowOffsets);
    QCOMPARE(again.sequences[0].values, rows->sequences[0].values);
    QCOMPARE(again.ids[0].ids, rows->ids[0].ids);
}

void TstSequenceColumns::rowFilesThatDoNotFitAreRefused()
{
    const auto encoder = encoderOf("'pair'");
    VERIFY_OK(encoder);
    const InputLayout layout = withoutLabel(encoder->layout());
    EncodedRows rows;
    rows.rowCount = 2;
    rows.sequences = {{.width = 2, .rowOffsets = {0, 1, 3}, .values = {1, 2, 3, 4, 5, 6}}};
    EncodedRows out;
    QVERIFY(fromBlock(toBlock(rows), layout, {}, out));
    RowFileBlock shortened = toBlock(rows);
    shortened.mutable_sequences(0)->mutable_values()->RemoveLast();
    QVERIFY(!fromBlock(shortened, layout, {}, out));
    RowFileBlock backwards = toBlock(rows);
    backwards.mutable_sequences(0)->set_ends(0, 4);
    QVERIFY(!fromBlock(backwards, layout, {}, out));
    RowFileBlock lacking = toBlock(rows);
    lacking.clear_sequences();
    QVERIFY(!fromBlock(lacking, layout, {}, out));
}

void TstSequenceColumns::rowFilesWithUnequalStepsAreRefused()
{
    const auto encoder = encoderOf("'words', 'pair'");
    VERIFY_OK(encoder);
    const auto rows = encoder->encode(
        batchOf(2, {words({"up", "down", "up"}, {0, 2, 3}), force({1, 2, 3, 4, 5}, {0, 4, 5})}),
        Labels::None);
    VERIFY_OK(rows);
    const InputLayout layout = withoutLabel(encoder->layout());
    EncodedRows out;
    QVERIFY(fromBlock(toBlock(*rows), layout, kBoth, out));
    RowFileBlock ofNumbers = toBlock(*rows); // as many steps in all, but not in each row
    ofNumbers.mutable_sequences(0)->set_ends(0, 1);
    QVERIFY(!fromBlock(ofNumbers, layout, kBoth, out));
    RowFileBlock ofIds = toBlock(*rows);
    ofIds.mutable_ids(0)->set_ends(0, 1);
    QVERIFY(!fromBlock(ofIds, layout, kBoth, out));
}

CANNERY_TEST(TstSequenceColumns)
#include "tst_sequence_columns.moc"
