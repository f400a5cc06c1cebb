// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/base/fingerprint.h"
#include "core/features/bucket_modulo.h"
#include "core/features/encode_scratch.h"
#include "core/features/feature_encoder.h"
#include "core/features/vocabulary.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

using namespace cannery;
using namespace cannery::features;

class TstEncodeBlocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void blocksOfRowsGiveTheNumbersOfTheWholeTable_data();
    void blocksOfRowsGiveTheNumbersOfTheWholeTable();
    void errorsNameTheRowOfTheTable();
    void bucketsOfAnyNumber_data();
    void bucketsOfAnyNumber();
    void moduloIsTheRestOfTheDivision();
    void wordsOfEveryLengthAreToldApart();
};

namespace {

const std::string kColumns = R"(
    feature_column { name: "age" numeric_column { key: "age" default_value: 7
        normalizer { subtract_divide { subtract: 40 divide: 3 } } } }
    feature_column { name: "pair" numeric_column { key: "pair" shape: 2 } }
    feature_column { name: "buckets" bucketized_column { source_column: "pair" boundaries: [2, 5] } }
    feature_column { name: "sex" categorical_column_with_vocabulary_list {
        key: "sex" vocabulary_list: ["male", "a female of more than sixteen bytes"] num_oov_buckets: 3 } }
    feature_column { name: "hash" categorical_column_with_hash_bucket {
        key: "word" hash_bucket_size: 1000 } }
    feature_column { name: "hour" categorical_column_with_identity { key: "hour" num_buckets: 24 } }
    feature_column { name: "tags" categorical_column_with_hash_bucket {
        key: "tags" hash_bucket_size: 50 } }
    feature_column { name: "weighted" weighted_categorical_column {
        categorical_column: "tags" weight_feature_key: "weights" } }
    feature_column { name: "singles" crossed_column {
        key { feature: "sex" } key { feature: "hour" } hash_bucket_size: 97 } }
    feature_column { name: "product" crossed_column {
        key { feature: "tags" } key { column: "buckets" } key { column: "sex" } hash_bucket_size: 64 } }
    estimator { linear_regressor { feature_columns: ["age", "pair", "buckets", "sex", "hash", "hour",
        "weighted", "singles", "product"] } }
)";

FeatureEncoder encoderOf(const std::string& text)
{
    spec::Experiment experiment;
    const bool isRead = google::protobuf::TextFormat::ParseFromString(text, &experiment);
    CANNERY_CHECK(isRead);
    auto encoder = FeatureEncoder::create(experiment, ".");
    CANNERY_CHECK(encoder.has_value());
    return *encoder;
}

template <typename Elements>
data::FeatureValues feature(const std::string& name, DType dtype, Elements elements)
{
    data::FeatureValues values;
    values.name = name;
    values.dtype = dtype;
    values.elements = std::move(elements);
    return values;
}

/// Rows with everything that a table may contain: gaps, unknown words, lists, unusual numbers.
data::FeatureBatch tableOf(std::int64_t rows)
{
    std::vector<float> age;
    std::vector<float> pair;
    std::vector<std::int64_t> hours;
    StringColumn sexes;
    StringColumn tags;
    std::vector<float> weights;
    std::vector<std::uint8_t> valid;
    std::vector<std::int64_t> offsets{0};
    const std::vector<std::string> words{"male", "", "a female of more than sixteen bytes", "x",
                                         std::string(300, 'y')};
    for (std::int64_t row = 0; row < rows; ++row) {
        age.push_back(row % 11 == 0 ? std::numeric_limits<float>::quiet_NaN()
                                    : static_cast<float>(row));
        valid.push_back(row % 7 == 3 ? 0 : 1);
        pair.push_back(static_cast<float>(row % 4));
        pair.push_back(row % 9 == 0 ? INFINITY : static_cast<float>(row % 6));
        hours.push_back(row % 25 - 1);
        sexes.push_back(words[static_cast<std::size_t>(row) % words.size()]);
        for (std::int64_t tag = 0; tag < row % 4; ++tag) {
            tags.push_back(std::to_string(row * tag));
            weights.push_back(static_cast<float>(tag) - 0.5F);
        }
        offsets.push_back(static_cast<std::int64_t>(tags.size()));
    }
    data::FeatureBatch batch;
    batch.rowCount = rows;
    batch.features = {
        feature("age", DType::Float32, age),        feature("pair", DType::Float32, pair),
        feature("hour", DType::Int64, hours),       feature("sex", DType::String, sexes),
        feature("word", DType::String, sexes),      feature("tags", DType::String, tags),
        feature("weights", DType::Float32, weights)};
    batch.features[0].valid = valid;
    batch.features[1].shape = Shape{2};
    for (const std::size_t list : {5U, 6U}) {
        batch.features[list].sparse = true;
        batch.features[list].rowOffsets = offsets;
    }
    return batch;
}

/// The bits of some rows of a block, so that NaN equals itself.
std::vector<std::uint32_t> rowsOfBlock(const DenseBlock& block, std::int64_t first,
                                       std::int64_t count)
{
    std::vector<std::uint32_t> bits;
    for (std::int64_t i = first * block.width; i < (first + count) * block.width; ++i) {
        bits.push_back(std::bit_cast<std::uint32_t>(block.values[static_cast<std::size_t>(i)]));
    }
    return bits;
}

std::vector<std::vector<std::int32_t>> rowsOfBlock(const IdBlock& block, std::int64_t first,
                                                   std::int64_t count)
{
    std::vector<std::vector<std::int32_t>> rows;
    for (std::int64_t row = first; row < first + count; ++row) {
        const auto at = static_cast<std::size_t>(row);
        rows.emplace_back(block.ids.begin() + block.rowOffsets[at],
                          block.ids.begin() + block.rowOffsets[at + 1]);
        for (std::int64_t i = block.rowOffsets[at];
             !block.weights.empty() && i < block.rowOffsets[at + 1]; ++i) {
            rows.back().push_back(
                std::bit_cast<std::int32_t>(block.weights[static_cast<std::size_t>(i)]));
        }
    }
    return rows;
}

} // namespace

void TstEncodeBlocks::blocksOfRowsGiveTheNumbersOfTheWholeTable_data()
{
    QTest::addColumn<int>("blockRows");
    for (const int blockRows : {1, 2, 16, 33, 100}) {
        QTest::addRow("%d", blockRows) << blockRows;
    }
}

void TstEncodeBlocks::blocksOfRowsGiveTheNumbersOfTheWholeTable()
{
    QFETCH(int, blockRows);
    const FeatureEncoder encoder = encoderOf(kColumns);
    const data::FeatureBatch table = tableOf(100);
    const auto whole = encoder.encode(table, Labels::None);
    VERIFY_OK(whole);
    EncodeScratch scratch;
    EncodedRows block;
    for (std::int64_t first = 0; first < table.rowCount; first += blockRows) {
        const std::int64_t count = std::min<std::int64_t>(blockRows, table.rowCount - first);
        VERIFY_OK(encoder.encodeInputs(table, first, count, {}, scratch, block));
        QCOMPARE(block.rowCount, count);
        QCOMPARE(block.dense.size(), whole->dense.size());
        QCOMPARE(block.ids.size(), whole->ids.size());
        for (std::size_t i = 0; i < block.dense.size(); ++i) {
            QCOMPARE(rowsOfBlock(block.dense[i], 0, count),
                     rowsOfBlock(whole->dense[i], first, count));
        }
        for (std::size_t i = 0; i < block.ids.size(); ++i) {
            QCOMPARE(rowsOfBlock(block.ids[i], 0, count), rowsOfBlock(whole->ids[i], first, count));
        }
    }
}

void TstEncodeBlocks::errorsNameTheRowOfTheTable()
{
    const FeatureEncoder encoder = encoderOf(R"(
        feature_column { name: "age" numeric_column { key: "age" } }
        estimator { linear_regressor { feature_columns: ["age"] } })");
    data::FeatureBatch table;
    table.rowCount = 4;
    table.features = {feature("age", DType::Float32, std::vector<float>{1, 2, 3, 4})};
    table.features[0].valid = {1, 1, 1, 0};
    table.fileIndex = {0, 0, 0, 0};
    table.line = {2, 3, 4, 5};
    EncodeScratch scratch;
    EncodedRows block;
    const std::vector<std::string> files{"rows.csv"};
    VERIFY_OK(encoder.encodeInputs(table, 0, 3, files, scratch, block));
    const auto refused = encoder.encodeInputs(table, 2, 2, files, scratch, block);
    VERIFY_ERROR(refused, "features.missing_number");
    QVERIFY(refused.error().sentence.find("rows.csv:5") != std::string::npos);
}

void TstEncodeBlocks::bucketsOfAnyNumber_data()
{
    QTest::addColumn<int>("boundaryCount");
    for (const int count : {1, 3, 47, 48, 49, 500}) {
        QTest::addRow("%d boundaries", count) << count;
    }
}

void TstEncodeBlocks::bucketsOfAnyNumber()
{
    QFETCH(int, boundaryCount);
    std::string boundaries;
    for (int i = 0; i < boundaryCount; ++i) {
        boundaries += (i == 0 ? "" : ", ") + std::to_string(i * 2);
    }
    const FeatureEncoder encoder = encoderOf(
        R"(feature_column { name: "x" numeric_column { key: "x" } }
           feature_column { name: "b" bucketized_column { source_column: "x" boundaries: [)" +
        boundaries + R"(] } } estimator { linear_regressor { feature_columns: ["b"] } })");
    std::vector<float> values{NAN, -INFINITY, INFINITY, -0.0F, 0.0F, 1e30F, -1e30F, 1e-45F};
    for (int i = -3; i < 2 * boundaryCount + 3; ++i) {
        values.push_back(static_cast<float>(i));
        values.push_back(std::nextafter(static_cast<float>(i), -INFINITY));
    }
    data::FeatureBatch table;
    table.rowCount = static_cast<std::int64_t>(values.size());
    table.features = {feature("x", DType::Float32, values)};
    const auto rows = encoder.encode(table, Labels::None);
    VERIFY_OK(rows);
    for (std::size_t i = 0; i < values.size(); ++i) {
        std::int32_t below = 0;
        for (int boundary = 0; boundary < boundaryCount; ++boundary) {
            below += values[i] < static_cast<float>(boundary * 2) ? 0 : 1;
        }
        QCOMPARE(rows->ids[0].ids[i], below);
    }
}

void TstEncodeBlocks::moduloIsTheRestOfTheDivision()
{
    const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t hash = 1;
    for (const std::uint64_t buckets :
         {1ULL, 2ULL, 3ULL, 7ULL, 10ULL, 1000ULL, 1ULL << 24U, (1ULL << 31U) - 1}) {
        const BucketModulo modulo(buckets);
        for (const std::uint64_t edge :
             std::array<std::uint64_t, 5>{0, 1, buckets - 1, buckets, buckets + 1}) {
            QCOMPARE(modulo(edge), edge % buckets);
            QCOMPARE(modulo(most - edge), (most - edge) % buckets);
            QCOMPARE(modulo(most / buckets * buckets - edge),
                     (most / buckets * buckets - edge) % buckets);
        }
        for (int i = 0; i < 10000; ++i) {
            hash = fingerprintCat64(hash, buckets);
            QCOMPARE(modulo(hash), hash % buckets);
        }
    }
}

void TstEncodeBlocks::wordsOfEveryLengthAreToldApart()
{
    std::vector<std::string> words{"aba",
                                   "aca",
                                   "abca",
                                   "abda",
                                   std::string("a\0b", 3),
                                   std::string("\0", 1),
                                   std::string("\0\0", 2)};
    for (std::size_t length = 1; length < 40; ++length) {
        words.push_back(std::string(length, 'a'));
        for (std::size_t place = 0; place < length && length > 1; ++place) {
            std::string word(length, 'a');
            word[place] = 'z';
            words.push_back(word);
        }
    }
    TextVocabulary vocabulary;
    for (std::size_t i = 0; i < words.size(); ++i) {
        QCOMPARE(vocabulary.find(words[i]), std::int64_t{-1});
        QVERIFY(vocabulary.add(words[i]));
        QVERIFY(!vocabulary.add(words[i]));
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        QCOMPARE(vocabulary.find(words[i]), static_cast<std::int64_t>(i));
        QCOMPARE(vocabulary.find(words[i] + "?"), std::int64_t{-1});
    }
    QCOMPARE(vocabulary.find(""), std::int64_t{-1});
    QVERIFY(vocabulary.add(""));
    QCOMPARE(vocabulary.find(""), static_cast<std::int64_t>(words.size()));
    QCOMPARE(vocabulary.find(std::string(1U << 20U, 'a')), std::int64_t{-1});
}

CANNERY_TEST(TstEncodeBlocks)
#include "tst_encode_blocks.moc"
