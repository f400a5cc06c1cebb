// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/features/feature_column_catalog.h"
#include "core/features/feature_encoder.h"
#include "core/features/label_encoder.h"
#include "core/features/raw_rows.h"
#include "core/spec/experiment.pb.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

#include <cmath>

using namespace cannery;
using namespace cannery::features;

class TstFeatureEncoder : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyKindOfColumnIsInTheCatalog();
    void slotsStandInTheOrderOfTensorFlowNames();
    void columnsOfOneNameAreRefused();
    void missingCells_data();
    void missingCells();
    void treesOverHistogramsKeepMissingNumbers();
    void idsBeyondTheBucketsAreErrorsOnlyWhereLookedUp();
    void lookupsThatFillNothingWantAnIdInEveryRow_data();
    void lookupsThatFillNothingWantAnIdInEveryRow();
    void weightsMustBeOfTheTypeThatTheirColumnHas();
    void labels_data();
    void labels();
    void labelsSideBySideForManyHeads();
    void labelsOnlyWhereTheyAreWanted();
    void weightsAreNormalizedNumbers();
    void exampleIdsAreReadWithLabels();
    void refusesRowsWithoutAnExampleId();
    void refusesExampleIdsThatAreNoTexts();
};

namespace {

spec::Experiment experimentOf(const std::string& text)
{
    spec::Experiment experiment;
    const bool isRead = google::protobuf::TextFormat::ParseFromString(text, &experiment);
    CANNERY_CHECK(isRead);
    return experiment;
}

Result<FeatureEncoder> encoderOf(const std::string& text)
{
    return FeatureEncoder::create(experimentOf(text), ".");
}

data::FeatureValues numbersNamed(const std::string& name, std::vector<float> values)
{
    data::FeatureValues result;
    result.name = name;
    result.dtype = DType::Float32;
    result.elements = std::move(values);
    return result;
}

data::FeatureValues integersNamed(const std::string& name, std::vector<std::int64_t> values)
{
    data::FeatureValues result;
    result.name = name;
    result.dtype = DType::Int64;
    result.elements = std::move(values);
    return result;
}

data::FeatureValues textsNamed(const std::string& name, const std::vector<std::string>& values)
{
    data::FeatureValues result;
    result.name = name;
    StringColumn texts;
    for (const std::string& value : values) {
        texts.push_back(value);
    }
    result.elements = std::move(texts);
    return result;
}

data::FeatureBatch batchOf(std::int64_t rows, std::vector<data::FeatureValues> features,
                           std::vector<data::FeatureValues> labels = {})
{
    data::FeatureBatch batch;
    batch.rowCount = rows;
    batch.features = std::move(features);
    batch.labels = std::move(labels);
    for (std::int64_t row = 0; row < rows; ++row) {
        batch.fileIndex.push_back(0);
        batch.line.push_back(row + 2);
    }
    return batch;
}

const std::vector<std::string> kFiles{"train.csv"};

const std::string kColumns = R"(
    feature_column { name: "age" numeric_column { key: "age" } }
    feature_column { name: "default" numeric_column { key: "age" default_value: 7 } }
    feature_column { name: "buckets" bucketized_column { source_column: "age" boundaries: [5] } }
    feature_column { name: "sex" categorical_column_with_vocabulary_list {
        key: "sex" vocabulary_list: ["male", "female"] } }
    feature_column { name: "sexes" indicator_column { categorical_column: "sex" } }
    feature_column { name: "cross" crossed_column {
        key { feature: "sex" } key { column: "buckets" } hash_bucket_size: 10 } }
    feature_column { name: "hour" categorical_column_with_identity { key: "hour" num_buckets: 3 } }
    feature_column { name: "hours" indicator_column { categorical_column: "hour" } }
)";

std::string linear(const std::string& columns)
{
    return kColumns + "estimator { linear_regressor { feature_columns: [" + columns + "] } }";
}

std::string withExampleIds()
{
    return kColumns + R"(estimator { linear_regressor { feature_columns: "age" )"
                      R"(optimizer { linear_sdca { example_id_column: "row" } } } })";
}

} // namespace

void TstFeatureEncoder::everyKindOfColumnIsInTheCatalog()
{
    const auto* oneof = spec::FeatureColumn::descriptor()->FindOneofByName("kind");
    QCOMPARE(static_cast<std::size_t>(oneof->field_count()), featureColumnCatalog().size());
    for (int i = 0; i < oneof->field_count(); ++i) {
        const auto kind = static_cast<spec::FeatureColumn::KindCase>(oneof->field(i)->number());
        const FeatureColumnRow* row = findFeatureColumnRow(kind);
        QVERIFY2(row != nullptr, oneof->field(i)->name().c_str());
        QCOMPARE(std::string(row->name), oneof->field(i)->name());
        QVERIFY((row->create == nullptr) != (row->lookup == nullptr));
    }
}

void TstFeatureEncoder::slotsStandInTheOrderOfTensorFlowNames()
{
    const auto encoder = encoderOf(kColumns + R"(estimator { dnn_linear_combined_regressor {
        linear_feature_columns: ["sex", "cross", "buckets"] dnn_feature_columns: ["sexes", "age"]
        dnn_hidden_units: [4] } })");
    VERIFY_OK(encoder);
    std::vector<std::string> names;
    for (const InputSlot& slot : encoder->layout().slots) {
        names.push_back(slot.tensorflowName);
    }
    QCOMPARE(names,
             (std::vector<std::string>{"age", "age_bucketized", "age_bucketized_X_sex", "sex"}));
    QCOMPARE(encoder->layout().slotOf("cross"), 2);
    QCOMPARE(encoder->layout().slotOf("sexes"), -1);
    QCOMPARE(encoder->layout().slots[3].block, 2);
    QCOMPARE(encoder->inputKeys(), (std::vector<std::string>{"age", "sex"}));
}

void TstFeatureEncoder::columnsOfOneNameAreRefused()
{
    VERIFY_ERROR(encoderOf(linear("\"age\", \"default\"")), "features.repeated_name");
}

void TstFeatureEncoder::missingCells_data()
{
    QTest::addColumn<QString>("column");
    QTest::addColumn<QString>("error");
    QTest::newRow("a number must be there") << "age"
                                            << "features.missing_number";
    QTest::newRow("unless it has a default") << "default"
                                             << "";
    QTest::newRow("buckets need a number") << "buckets"
                                           << "features.missing_number";
    QTest::newRow("a text means no category") << "sex"
                                              << "";
    QTest::newRow("an integer means no category") << "hour"
                                                  << "";
    QTest::newRow("integers are not texts") << "sexes"
                                            << "features.category_type";
}

void TstFeatureEncoder::missingCells()
{
    QFETCH(QString, column);
    QFETCH(QString, error);
    const auto encoder = encoderOf(linear('"' + column.toStdString() + '"'));
    VERIFY_OK(encoder);
    auto batch = batchOf(2, {numbersNamed("age", {3, 0}), integersNamed("hour", {2, 0}),
                             textsNamed("sex", {"female", ""})});
    for (data::FeatureValues& values : batch.features) {
        values.valid = {1, 0};
    }
    if (column == "sexes") {
        batch.features[2] = integersNamed("sex", {1, 2});
    }
    const auto rows = encoder->encode(batch, Labels::None, kFiles);
    if (!error.isEmpty()) {
        VERIFY_ERROR(rows, error);
        if (error == "features.missing_number") {
            QVERIFY(rows.error().sentence.rfind("train.csv:3: 'age' is missing.", 0) == 0);
        }
        return;
    }
    VERIFY_OK(rows);
    if (column == "default") {
        QCOMPARE(rows->dense[0].values, (std::vector<float>{3, 7}));
    } else {
        QCOMPARE(rows->ids[0].rowOffsets, (std::vector<std::int64_t>{0, 1, 1}));
    }
}

void TstFeatureEncoder::treesOverHistogramsKeepMissingNumbers()
{
    const std::string column = R"(feature_column { name: "age" numeric_column { key: "age" } } )";
    // Buckets would take a missing number for a small one.
    const std::string buckets = R"(feature_column { name: "buckets"
        bucketized_column { source_column: "age" boundaries: 3 } } )";
    const auto trees = [](const std::string& growth) {
        return R"(estimator { boosted_trees_regressor { feature_columns: "age" )" + growth + " } }";
    };
    auto batch = batchOf(2, {numbersNamed("age", {3, 0})});
    batch.features[0].valid = {1, 0};
    const auto encoded = [&](const std::string& text) {
        return encoderOf(text)->encode(batch, Labels::None, kFiles);
    };
    const auto rows = encoded(column + trees("histogram {}"));
    VERIFY_OK(rows);
    QCOMPARE(rows->dense[0].values[0], 3.0F);
    QVERIFY(std::isnan(rows->dense[0].values[1]));
    VERIFY_ERROR(encoded(column + trees("")), "features.missing_number");
    VERIFY_ERROR(encoded(column + buckets + trees("histogram {}")), "features.missing_number");
}

void TstFeatureEncoder::idsBeyondTheBucketsAreErrorsOnlyWhereLookedUp()
{
    const auto batch = batchOf(3, {integersNamed("hour", {2, -7, 3})});
    const auto lookedUp = encoderOf(linear("\"hour\""))->encode(batch, Labels::None, kFiles);
    VERIFY_ERROR(lookedUp, "features.id_range");
    QVERIFY(lookedUp.error().sentence.rfind("train.csv:4: 3 in feature column 'hour'", 0) == 0);
    const auto counted = encoderOf(linear("\"hours\""))->encode(batch, Labels::None, kFiles);
    VERIFY_OK(counted);
    QCOMPARE(counted->ids[0].ids, (std::vector<std::int32_t>{2, -7, -1}));
}

void TstFeatureEncoder::lookupsThatFillNothingWantAnIdInEveryRow_data()
{
    QTest::addColumn<QString>("column");
    QTest::newRow("an embedding column")
        << "embedding_column { categorical_column: 'sex' dimension: 2 %1 }";
    QTest::newRow("shared embeddings")
        << "shared_embeddings { categorical_columns: ['sex', 'sex_too'] dimension: 2 %1 }";
}

void TstFeatureEncoder::lookupsThatFillNothingWantAnIdInEveryRow()
{
    QFETCH(QString, column);
    const auto encoded = [&](const char* option, const std::vector<std::string>& texts) {
        const std::string text =
            kColumns + R"(feature_column { name: "sex_too" categorical_column_with_vocabulary_list {
                key: "sex_too" vocabulary_list: ["male", "female"] } }
            feature_column { name: "tested" )" +
            column.arg(option).toStdString() +
            " } estimator { dnn_regressor { hidden_units: 2 feature_columns: 'tested' } }";
        const auto batch =
            batchOf(3, {textsNamed("sex", texts), textsNamed("sex_too", {"male", "male", "male"})});
        return encoderOf(text)->encode(batch, Labels::None, kFiles);
    };
    const char* const kUnsafe = "use_safe_embedding_lookup: false";
    VERIFY_OK(encoded("", {"male", "", "other"}));
    VERIFY_OK(encoded(kUnsafe, {"male", "female", "male"}));
    const std::string rest =
        ", and an embedding of it has use_safe_embedding_lookup: false, which needs a category in "
        "every row. Remove use_safe_embedding_lookup: such a row then gets a vector of zeros.";
    const auto empty = encoded(kUnsafe, {"male", "", "male"});
    VERIFY_ERROR(empty, "features.no_valid_id");
    QCOMPARE(empty.error().sentence, "train.csv:3: feature column 'sex' has no category" + rest);
    const auto unknown = encoded(kUnsafe, {"male", "male", "other"});
    VERIFY_ERROR(unknown, "features.no_valid_id");
    QCOMPARE(unknown.error().sentence, "train.csv:4: feature column 'sex' has a value that is not "
                                       "one of its categories" +
                                           rest);
}

void TstFeatureEncoder::weightsMustBeOfTheTypeThatTheirColumnHas()
{
    const auto encoded = [](const char* dtype, data::FeatureValues weights) {
        const std::string text =
            kColumns + R"(feature_column { name: "w" weighted_categorical_column {
                categorical_column: "sex" weight_feature_key: "n" dtype: )" +
            dtype + R"( } } estimator { linear_regressor { feature_columns: "w" } })";
        const auto batch = batchOf(1, {textsNamed("sex", {"male"}), std::move(weights)});
        return encoderOf(text)->encode(batch, Labels::None, kFiles);
    };
    QCOMPARE(encoded("int64", integersNamed("n", {3}))->ids[0].weights, std::vector<float>{3});
    QCOMPARE(encoded("float32", integersNamed("n", {3}))->ids[0].weights, std::vector<float>{3});
    QCOMPARE(encoded("float64", numbersNamed("n", {0.5}))->ids[0].weights, std::vector<float>{0.5});
    const auto refused = encoded("int32", numbersNamed("n", {0.5}));
    VERIFY_ERROR(refused, "features.weight_dtype");
    QCOMPARE(refused.error().sentence,
             std::string("Feature 'n' holds float32 numbers, but weighted column 'w' has dtype "
                         "int32, an integer type. Remove that dtype, or give data.column of the "
                         "feature an integer dtype."));
    for (const char* dtype : {"float32", "int64"}) {
        const auto text = encoded(dtype, textsNamed("n", {"0.5"}));
        VERIFY_ERROR(text, "features.weight_type");
        QCOMPARE(text.error().sentence,
                 std::string("Feature 'n' is text, but holds the weights of column 'w'. Give it "
                             "the dtype float32."));
    }
}

void TstFeatureEncoder::labels_data()
{
    QTest::addColumn<QString>("estimator");
    QTest::addColumn<QString>("label");
    QTest::addColumn<QString>("error"); ///< or the id of the class, if the text is none
    const QString classifier = "linear_classifier { feature_columns: 'age' %1 }";
    const QString binary = classifier.arg("");
    const QString words = classifier.arg("label_vocabulary: ['no', 'yes']");
    const QString three = classifier.arg("n_classes: 3");
    const QString regressor = "linear_regressor { feature_columns: 'age' }";
    QTest::newRow("a soft label") << binary << "f:0.25" << QString();
    QTest::newRow("an integer") << binary << "i:1" << QString();
    QTest::newRow("beyond 1") << binary << "i:2"
                              << "features.label_range";
    QTest::newRow("NaN") << binary << "f:nan"
                         << "features.label_missing";
    QTest::newRow("a word without vocabulary") << binary << "s:yes"
                                               << "features.label_type";
    QTest::newRow("a word") << words << "s:yes" << QString();
    QTest::newRow("an unknown word") << words << "s:maybe"
                                     << "features.label_unknown";
    QTest::newRow("a number where words are") << words << "i:1"
                                              << "features.label_type";
    const QString numbers = classifier.arg("label_vocabulary: ['-1', '1.0']");
    QTest::newRow("a number as it is spelled") << numbers << "s:-1" << QString("0");
    QTest::newRow("a number that is spelled otherwise") << numbers << "s:+01" << QString("1");
    QTest::newRow("an exponent") << numbers << "s:10e-1" << QString("1");
    QTest::newRow("an integer among numbers") << numbers << "i:1" << QString("1");
    QTest::newRow("a float among numbers") << numbers << "f:-1" << QString("0");
    QTest::newRow("another number") << numbers << "s:1.00000000000000000001"
                                    << "features.label_unknown";
    QTest::newRow("a class") << three << "i:2" << QString();
    QTest::newRow("no class") << three << "i:3"
                              << "features.label_range";
    QTest::newRow("a negative class") << three << "i:-1"
                                      << "features.label_range";
    QTest::newRow("a fraction for a class") << three << "f:1"
                                            << "features.label_type";
    QTest::newRow("a target") << regressor << "f:-3.5" << QString();
    QTest::newRow("no target") << regressor << "f:nan"
                               << "features.label_missing";
    QTest::newRow("a word for a target") << regressor << "s:x"
                                         << "features.label_type";
}

void TstFeatureEncoder::labels()
{
    QFETCH(QString, estimator);
    QFETCH(QString, label);
    QFETCH(QString, error);
    const auto encoder = encoderOf(kColumns + "estimator { " + estimator.toStdString() + " }");
    VERIFY_OK(encoder);
    const QString value = label.mid(2);
    data::FeatureValues labels = label.startsWith("f")
                                     ? numbersNamed("y", {value == "nan" ? NAN : value.toFloat()})
                                 : label.startsWith("i") ? integersNamed("y", {value.toLongLong()})
                                                         : textsNamed("y", {value.toStdString()});
    auto batch = batchOf(1, {numbersNamed("age", {1})}, {labels});
    const auto rows = encoder->encode(batch, Labels::Needed, kFiles);
    if (error.startsWith("features.")) {
        VERIFY_ERROR(rows, error);
        return;
    }
    VERIFY_OK(rows);
    const float id = error.isEmpty() ? value.toFloat() : error.toFloat();
    QCOMPARE(rows->labels, std::vector<float>{value == "yes" ? 1 : id});
    batch.labels[0].valid = {0};
    VERIFY_ERROR(encoder->encode(batch, Labels::Needed, kFiles), "features.label_missing");
}

void TstFeatureEncoder::labelsSideBySideForManyHeads()
{
    const auto encoder = encoderOf(kColumns + R"(estimator { linear_estimator {
        feature_columns: "age"
        head { multi_head {
            heads { multi_label_head { n_classes: 3 label_vocabulary: ["a", "b", "c"] name: "tags" } }
            heads { regression_head { label_dimension: 2 name: "size" weight_column { feature: "age" } } }
        } } } })");
    VERIFY_OK(encoder);
    QCOMPARE(encoder->layout().labelWidth, std::int64_t{5});
    QCOMPARE(encoder->layout().weightWidth, std::int64_t{1});
    data::FeatureValues tags = textsNamed("tags", {"c", "a"});
    tags.sparse = true;
    tags.rowOffsets = {0, 2, 2};
    data::FeatureValues size = numbersNamed("size", {1, 2, 3, 4});
    size.shape = Shape{2};
    auto batch = batchOf(2, {numbersNamed("age", {5, 6})}, {size, tags});
    const auto rows = encoder->encode(batch, Labels::Needed, kFiles);
    VERIFY_OK(rows);
    QCOMPARE(rows->labels, (std::vector<float>{1, 0, 1, 1, 2, 0, 0, 0, 3, 4}));
    QCOMPARE(rows->weights, (std::vector<float>{5, 6}));
    batch.labels.pop_back();
    VERIFY_ERROR(encoder->encode(batch, Labels::Needed, kFiles), "features.no_label");
}

void TstFeatureEncoder::labelsOnlyWhereTheyAreWanted()
{
    const auto encoder = encoderOf(linear("\"age\""));
    auto batch = batchOf(1, {numbersNamed("age", {1})});
    VERIFY_ERROR(encoder->encode(batch, Labels::Needed), "features.no_label");
    VERIFY_OK(encoder->encode(batch, Labels::Optional));
    batch.labels = {numbersNamed("y", {2})};
    QCOMPARE(encoder->encode(batch, Labels::Optional)->labels, std::vector<float>{2});
    QVERIFY(encoder->encode(batch, Labels::None)->labels.empty());
    VERIFY_ERROR(encoder->encode(batchOf(1, {}), Labels::None), "features.missing_feature");
}

void TstFeatureEncoder::weightsAreNormalizedNumbers()
{
    const auto encoder = encoderOf(kColumns + R"(
        feature_column { name: "w" numeric_column {
            key: "weight" normalizer { subtract_divide { divide: 4 } } } }
        estimator { linear_regressor { feature_columns: "age" weight_column { column: "w" } } })");
    VERIFY_OK(encoder);
    QCOMPARE(encoder->featureKeys(), (std::vector<std::string>{"age", "weight"}));
    QCOMPARE(encoder->inputKeys(), std::vector<std::string>{"age"});
    auto batch = batchOf(1, {numbersNamed("age", {1}), numbersNamed("weight", {2})},
                         {numbersNamed("y", {2})});
    QCOMPARE(encoder->encode(batch, Labels::Needed)->weights, std::vector<float>{0.5});
    batch.features[1] = numbersNamed("weight", {NAN});
    VERIFY_ERROR(encoder->encode(batch, Labels::Needed), "features.weight_nan");
}

void TstFeatureEncoder::exampleIdsAreReadWithLabels()
{
    const auto encoder = encoderOf(withExampleIds());
    VERIFY_OK(encoder);
    QVERIFY(encoder->layout().hasExampleIds);
    QCOMPARE(encoder->featureKeys(), (std::vector<std::string>{"age", "row"}));
    QCOMPARE(encoder->inputKeys(), std::vector<std::string>{"age"});
    const auto rows =
        encoder->encode(batchOf(2, {numbersNamed("age", {3, 4}), textsNamed("row", {"r0", "r1"})},
                                {numbersNamed("y", {1, 2})}),
                        Labels::Needed);
    VERIFY_OK(rows);
    QCOMPARE(rows->exampleIds.size(), std::size_t{2});
    QVERIFY(rows->exampleIds[1] == fingerprint128("r1"));
    // A prediction needs none.
    const auto alone = encoder->encode(batchOf(2, {numbersNamed("age", {3, 4})}), Labels::None);
    VERIFY_OK(alone);
    QVERIFY(alone->exampleIds.empty());
}

void TstFeatureEncoder::refusesRowsWithoutAnExampleId()
{
    const auto encoder = encoderOf(withExampleIds());
    VERIFY_OK(encoder);
    const auto rows =
        encoder->encode(batchOf(2, {numbersNamed("age", {3, 4}), textsNamed("row", {"r0", ""})},
                                {numbersNamed("y", {1, 2})}),
                        Labels::Needed, kFiles);
    VERIFY_ERROR(rows, "features.example_id");
    QVERIFY(rows.error().message().starts_with("train.csv:3: "));
}

void TstFeatureEncoder::refusesExampleIdsThatAreNoTexts()
{
    const auto encoder = encoderOf(withExampleIds());
    VERIFY_OK(encoder);
    VERIFY_ERROR(
        encoder->encode(batchOf(2, {numbersNamed("age", {3, 4}), integersNamed("row", {1, 2})},
                                {numbersNamed("y", {1, 2})}),
                        Labels::Needed),
        "features.example_id_type");
}

CANNERY_TEST(TstFeatureEncoder)
#include "tst_feature_encoder.moc"
