// SPDX-License-Identifier: Apache-2.0
#include "core/features/feature_emitter.h"
#include "core/features/feature_encoder.h"
#include "core/spec/experiment.pb.h"
#include "storage/tf/graphs/graph_def_builder.h"
#include "storage/tf/graphs/graph_text.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

using namespace cannery;
using namespace cannery::features;

/// The inputs of a served model. That the nodes compute the same ids is tested with TensorFlow
/// itself (tests/interop/emitted_columns.py).
class TstFeatureEmitter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void parsingReceiverTakesExamples();
    void rawReceiverTakesWhatTheModelReads();
    void rawReceiverTakesASubset();
    void rawReceiverNeedsWhatHasNoDefault();
    void modelsWithoutColumnsStillCountRows();
    void contradictionsAreRefused();
    void missingIntegersOfTreesAreFloats();
    void columnsOfOneFeatureDealWithMissingNumbersThemselves();
    void weightsAreParsedAsTheColumnSays_data();
    void weightsAreParsedAsTheColumnSays();
};

namespace {

Result<FeatureEncoder> encoderOf(const std::string& estimator)
{
    spec::Experiment experiment;
    const std::string text = R"(
        data { column { name: "hours" dtype: int32 } column { name: "age" default_value: "30" }
               feature { name: "tags" split { column: "tags" } } }
        feature_column { name: "age" numeric_column { key: "age" } }
        feature_column { name: "hours" numeric_column { key: "hours" } }
        feature_column { name: "hours_7" numeric_column { key: "hours" default_value: 7
            normalizer { subtract_divide { subtract: 1 divide: 2 } } } }
        feature_column { name: "hours_9" bucketized_column { source_column: "of_hours"
            boundaries: [3, 8] } }
        feature_column { name: "of_hours" numeric_column { key: "hours" default_value: 9 } }
        feature_column { name: "hours_z" numeric_column { key: "hours"
            normalizer { subtract_divide { subtract: 1 divide: 2 } } } }
        feature_column { name: "hours_buckets" bucketized_column { source_column: "hours"
            boundaries: [3, 8] } }
        feature_column { name: "tags" categorical_column_with_hash_bucket {
            key: "tags" hash_bucket_size: 9 } }
        feature_column { name: "age_words" categorical_column_with_hash_bucket {
            key: "age" hash_bucket_size: 9 } }
        feature_column { name: "whole" weighted_categorical_column {
            categorical_column: "tags" weight_feature_key: "n" dtype: int32 } }
        feature_column { name: "float" weighted_categorical_column {
            categorical_column: "tags" weight_feature_key: "n" } }
        estimator { )" + estimator +
                             " }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    return FeatureEncoder::create(experiment, ".");
}

const std::string kLinear = "linear_regressor { feature_columns: ['age', 'hours', 'tags'] }";

std::vector<std::string> keysOf(const EmittedFeatures& emitted)
{
    std::vector<std::string> keys;
    for (const ReceiverTensor& input : emitted.receiver) {
        keys.push_back(input.key);
    }
    return keys;
}

} // namespace

void TstFeatureEmitter::parsingReceiverTakesExamples()
{
    const auto encoder = encoderOf(kLinear);
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    const auto emitted = emitFeatures(graph, *encoder);
    VERIFY_OK(emitted);
    QCOMPARE(keysOf(*emitted), std::vector<std::string>{"examples"});
    QCOMPARE(emitted->receiver[0].tensor.tensor(), std::string("input_example_tensor:0"));
    QCOMPARE(emitted->receiver[0].shape, Shape{-1});
    QCOMPARE(emitted->slots.size(), std::size_t{3});
    QVERIFY(!emitted->slots[0].isSparse());
    QVERIFY(emitted->slots[2].isSparse());
}

void TstFeatureEmitter::rawReceiverTakesWhatTheModelReads()
{
    const auto encoder = encoderOf(kLinear);
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    const auto emitted = emitFeatures(graph, *encoder, {.receiver = Receiver::Raw});
    VERIFY_OK(emitted);
    QCOMPARE(keysOf(*emitted), (std::vector<std::string>{"age", "hours", "tags"}));
    QCOMPARE(emitted->receiver[1].dtype, DType::Int32);
    QCOMPARE(emitted->receiver[1].shape, (Shape{-1, 1}));
    QCOMPARE(emitted->receiver[2].shape, (Shape{-1, -1}));
}

void TstFeatureEmitter::rawReceiverTakesASubset()
{
    const auto encoder = encoderOf(kLinear);
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    const auto emitted = emitFeatures(graph, *encoder,
                                      {.receiver = Receiver::Raw,
                                       .rawFeatures = {"hours", "extra"},
                                       .dtypes = {{"extra", DType::String}}});
    VERIFY_OK(emitted);
    QCOMPARE(keysOf(*emitted), (std::vector<std::string>{"hours", "extra"}));
}

void TstFeatureEmitter::rawReceiverNeedsWhatHasNoDefault()
{
    const auto encoder = encoderOf(kLinear);
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    VERIFY_ERROR(emitFeatures(graph, *encoder, {.receiver = Receiver::Raw, .rawFeatures = {"age"}}),
                 "features.receiver_lacks");
    VERIFY_ERROR(emitFeatures(graph, *encoder,
                              {.receiver = Receiver::Raw, .rawFeatures = {"hours", "extra"}}),
                 "features.receiver_unknown");
}

void TstFeatureEmitter::modelsWithoutColumnsStillCountRows()
{
    const auto encoder = encoderOf("baseline_regressor {}");
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    const auto parsing = emitFeatures(graph, *encoder);
    VERIFY_OK(parsing);
    QVERIFY(graph.hasNode(parsing->batchSize.node));
    VERIFY_ERROR(emitFeatures(graph, *encoder, {.receiver = Receiver::Raw}),
                 "features.receiver_empty");
    VERIFY_OK(emitFeatures(graph, *encoder, {.receiver = Receiver::Raw, .rawFeatures = {"hours"}}));
}

void TstFeatureEmitter::contradictionsAreRefused()
{
    const auto encoder = encoderOf("linear_regressor { feature_columns: ['age_words', 'tags'] }");
    VERIFY_OK(encoder);
    const auto both = encoderOf(R"(dnn_linear_combined_regressor { dnn_hidden_units: 2
        linear_feature_columns: "age_words" dnn_feature_columns: "age" })");
    VERIFY_OK(both);
    storage::GraphDefBuilder graph;
    VERIFY_OK(emitFeatures(graph, *encoder));
    VERIFY_ERROR(emitFeatures(graph, *both), "features.cannot_emit");
}

void TstFeatureEmitter::missingIntegersOfTreesAreFloats()
{
    const auto encoder =
        encoderOf("boosted_trees_regressor { feature_columns: 'hours_z' histogram {} }");
    VERIFY_OK(encoder);
    storage::GraphDefBuilder graph;
    const auto emitted = emitFeatures(graph, *encoder, {.receiver = Receiver::Raw});
    VERIFY_OK(emitted);
    QCOMPARE(emitted->receiver[0].dtype, DType::Float32);
    QCOMPARE(numberFeatures(*encoder), std::set<std::string>{"hours"});
}

void TstFeatureEmitter::columnsOfOneFeatureDealWithMissingNumbersThemselves()
{
    // Of one the default is 7, of another 9.
    const auto defaults = encoderOf("linear_regressor { feature_columns: ['hours_7', 'hours_9'] }");
    VERIFY_OK(defaults);
    storage::GraphDefBuilder graph;
    VERIFY_OK(emitFeatures(graph, *defaults));
    const QString text = QString::fromStdString(storage::graphText(graph.serialized()));
    QCOMPARE(text.count("op: \"SelectV2\""), 2);
    // One requires a number: a request without it is an error, and nothing is to be filled.
    const auto required = encoderOf(
        "boosted_trees_regressor { feature_columns: ['hours_z', 'hours_buckets'] histogram {} }");
    VERIFY_OK(required);
    storage::GraphDefBuilder one;
    VERIFY_OK(emitFeatures(one, *required));
    QVERIFY(!QString::fromStdString(storage::graphText(one.serialized())).contains("SelectV2"));
}

void TstFeatureEmitter::weightsAreParsedAsTheColumnSays_data()
{
    QTest::addColumn<QString>("column");
    QTest::addColumn<DType>("dtype");
    QTest::newRow("whole numbers") << "whole" << DType::Int64;
    QTest::newRow("floats") << "float" << DType::Float32;
}

void TstFeatureEmitter::weightsAreParsedAsTheColumnSays()
{
    QFETCH(QString, column);
    QFETCH(DType, dtype);
    const auto encoder =
        encoderOf("linear_regressor { feature_columns: '" + column.toStdString() + "' }");
    VERIFY_OK(encoder);
    storage::GraphDefBuilder raw;
    const auto emitted = emitFeatures(raw, *encoder, {.receiver = Receiver::Raw});
    VERIFY_OK(emitted);
    QCOMPARE(keysOf(*emitted), (std::vector<std::string>{"n", "tags"}));
    QCOMPARE(emitted->receiver[0].dtype, dtype);
    storage::GraphDefBuilder parsing;
    VERIFY_OK(emitFeatures(parsing, *encoder));
    const QString text = QString::fromStdString(storage::graphText(parsing.serialized()));
    QCOMPARE(text.contains("Tdense\"\n    value {\n      list {\n        type: DT_INT64"),
             dtype == DType::Int64);
}

CANNERY_TEST(TstFeatureEmitter)
#include "tst_feature_emitter.moc"
