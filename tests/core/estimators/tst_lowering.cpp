// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

using namespace cannery;

namespace {

constexpr const char* kColumns = R"(
feature_column { name: "age" numeric_column { key: "age" shape: 2 } }
feature_column { name: "buckets" bucketized_column { source_column: "age" boundaries: 3 } }
feature_column { name: "job" categorical_column_with_identity { key: "job" num_buckets: 5 } }
feature_column { name: "town" categorical_column_with_identity { key: "town" num_buckets: 5 } }
feature_column { name: "job one hot" indicator_column { categorical_column: "job" } }
feature_column { name: "job table" embedding_column { categorical_column: "job" dimension: 3 } }
feature_column { name: "places" shared_embeddings { categorical_columns: ["town", "job"] dimension: 2 } }
feature_column { name: "force" sequence_numeric_column { key: "force" } }
feature_column { name: "move" sequence_categorical_column_with_identity { key: "move" num_buckets: 6 } }
feature_column { name: "move table" embedding_column { categorical_column: "move" dimension: 4 } }
)";

features::InputLayout layout()
{
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Dense, .column = "age", .tensorflowName = "age", .width = 2},
        {.kind = features::SlotKind::Ids,
         .column = "buckets",
         .tensorflowName = "age_bucketized",
         .width = 4},
        {.kind = features::SlotKind::Ids,
         .column = "job",
         .tensorflowName = "job",
         .width = 5,
         .block = 1},
        {.kind = features::SlotKind::Ids,
         .column = "town",
         .tensorflowName = "town",
         .width = 5,
         .block = 2},
        {.kind = features::SlotKind::Sequence,
         .column = "force",
         .tensorflowName = "force",
         .width = 1},
        {.kind = features::SlotKind::Ids,
         .column = "move",
         .tensorflowName = "move",
         .width = 6,
         .block = 3}};
    return layout;
}

Result<graph::LoweredModel> lower(const std::string& estimator)
{
    spec::Experiment experiment;
    const std::string text = std::string(kColumns) + "estimator { " + estimator + " }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    return estimators::lower(experiment, layout());
}

std::vector<std::string> variableNames(const graph::LoweredModel& model)
{
    std::vector<std::string> names;
    for (const graph::Variable& variable : model.graph.variables) {
        names.push_back(variable.name + " " + variable.shape.toString());
    }
    std::sort(names.begin(), names.end());
    return names;
}

using Names = std::vector<std::string>;

} // namespace

class TstLowering : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesTheVariablesOfALinearModel();
    void namesTheVariablesOfADnn();
    void namesTheVariablesOfARecurrentNetwork_data();
    void namesTheVariablesOfARecurrentNetwork();
    void sharesOneTableAtTheRoot();
    void takesColumnsInTheOrderOfTheirTensorflowNames();
    void numbersTheSecondOptimizerOfOneClass();
    void putsOptimizersOfAMultiHeadUnderANumberedScope();
    void givesTheStepToTheLinearOptimizerWithoutADnn();
    void normalizesAfterDropout();
    void summarizesWhatTensorflowDoes();
    void refusesABareCategoricalColumnInADnn();
    void refusesTwoColumnsOfOneName();
    void refusesAnUnknownColumn();
    void refusesACombinedModelWithoutColumns();
};

void TstLowering::namesTheVariablesOfALinearModel()
{
    const auto model = lower("linear_classifier { feature_columns: ['age', 'buckets', 'job table', "
                             "'job one hot'] n_classes: 3 optimizer { ftrl {} } }");
    VERIFY_OK(model);
    QCOMPARE(variableNames(*model),
             (Names{"linear/linear_model/age/weights [2, 3]",
                    "linear/linear_model/age_bucketized/weights [4, 3]",
                    "linear/linear_model/bias_weights [3]",
                    "linear/linear_model/job_embedding/embedding_weights [5, 3]",
                    "linear/linear_model/job_embedding/weights [3, 3]",
                    "linear/linear_model/job_indicator/weights [5, 3]"}));
    QCOMPARE(model->optimizers[0].checkpointPrefix, std::string("training/Ftrl"));
}

void TstLowering::namesTheVariablesOfADnn()
{
    const auto model =
        lower("dnn_regressor { feature_columns: ['age', 'job table', 'buckets'] hidden_units: [7] "
              "batch_norm: true optimizer { adagrad {} } }");
    VERIFY_OK(model);
    QCOMPARE(
        variableNames(*model),
        (Names{"dnn/hiddenlayer_0/batchnorm_0/beta [7]", "dnn/hiddenlayer_0/batchnorm_0/gamma [7]",
               "dnn/hiddenlayer_0/batchnorm_0/moving_mean [7]",
               "dnn/hiddenlayer_0/batchnorm_0/moving_variance [7]", "dnn/hiddenlayer_0/bias [7]",
               "dnn/hiddenlayer_0/kernel [9, 7]",
               "dnn/input_from_feature_columns/input_layer/job_embedding/embedding_weights "
               "[5, 3]",
               "dnn/logits/bias [1]", "dnn/logits/kernel [7, 1]"}));
}

void TstLowering::namesTheVariablesOfARecurrentNetwork_data()
{
    QTest::addColumn<QString>("settings");
    QTest::addColumn<Names>("names");
    QTest::newRow("a number of units")
        << "units: 6 cell_type: lstm"
        << Names{"rnn_model/logits/bias [1]",
                 "rnn_model/logits/kernel [6, 1]",
                 "rnn_model/lstm/lstm_cell/bias [24]",
                 "rnn_model/lstm/lstm_cell/kernel [5, 24]",
                 "rnn_model/lstm/lstm_cell/recurrent_kernel [6, 24]",
                 "sequence_features/move_embedding/embedding_weights [6, 4]"};
    QTest::newRow("a list of one")
        << "units: 5 cell_type: gru stacked_cells: true"
        << Names{"rnn_model/logits/bias [1]",
                 "rnn_model/logits/kernel [5, 1]",
                 "rnn_model/rnn/gru_cell/bias [2, 15]",
                 "rnn_model/rnn/gru_cell/kernel [5, 15]",
                 "rnn_model/rnn/gru_cell/recurrent_kernel [5, 15]",
                 "sequence_features/move_embedding/embedding_weights [6, 4]"};
    QTest::newRow("several layers and a context")
        << "units: [3, 2] context_feature_columns: ['age', 'job table']"
        << Names{"dense_features/job_embedding/embedding_weights [5, 3]",
                 "rnn_model/logits/bias [1]",
                 "rnn_model/logits/kernel [2, 1]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell/bias [3]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell/kernel [10, 3]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell/recurrent_kernel [3, 3]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell_1/bias [2]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell_1/kernel [3, 2]",
                 "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell_1/recurrent_kernel [2, 2]",
                 "sequence_features/move_embedding/embedding_weights [6, 4]"};
}

/// As TensorFlow 2.15 names them.
void TstLowering::namesTheVariablesOfARecurrentNetwork()
{
    QFETCH(QString, settings);
    QFETCH(Names, names);
    const auto model = lower("rnn_classifier { sequence_feature_columns: ['force', 'move table'] "
                             "optimizer { adagrad {} } " +
                             settings.toStdString() + " }");
    VERIFY_OK(model);
    QCOMPARE(variableNames(*model), names);
    QCOMPARE(model->graph.summaries.size(), std::size_t{1});
    QCOMPARE(model->graph.summaries[0].tag, "rnn_model/sequence_input_layer/sequence_length");
}

void TstLowering::sharesOneTableAtTheRoot()
{
    const auto model = lower("dnn_regressor { feature_columns: ['places'] hidden_units: [7] "
                             "optimizer { adagrad {} } }");
    VERIFY_OK(model);
    QCOMPARE(model->graph.variables[0].name, std::string("job_town_shared_embedding"));
    QCOMPARE(model->graph.variables[0].shape, Shape({5, 2}));
    QCOMPARE(model->graph.variables[0].scope, std::string("dnn"));
    QCOMPARE(model->graph.nodes[0].variables, model->graph.nodes[1].variables);
}

void TstLowering::takesColumnsInTheOrderOfTheirTensorflowNames()
{
    const auto model =
        lower("dnn_regressor { feature_columns: ['places', 'job one hot', 'age', 'buckets'] "
              "hidden_units: [7] optimizer { adagrad {} } }");
    VERIFY_OK(model);
    Names inputs;
    for (const graph::Node& node : model->graph.nodes) {
        if (node.layer.has_input_layer()) {
            for (const graph::ValueId input : node.inputs) {
                inputs.push_back(model->graph.value(input).name);
            }
        }
    }
    QCOMPARE(inputs, (Names{"age", "age_bucketized", "job_indicator", "job_shared_embedding",
                            "town_shared_embedding"}));
}

void TstLowering::numbersTheSecondOptimizerOfOneClass()
{
    const auto model = lower("dnn_linear_combined_regressor { linear_feature_columns: 'job' "
                             "linear_optimizer { adagrad {} } dnn_feature_columns: 'age' "
                             "dnn_hidden_units: 4 dnn_optimizer { adagrad {} } }");
    VERIFY_OK(model);
    QCOMPARE(model->optimizers[0].checkpointPrefix, std::string("training/Adagrad"));
    QVERIFY(model->optimizers[0].ownsGlobalStep);
    QCOMPARE(model->optimizers[0].scope, std::string("dnn"));
    QCOMPARE(model->optimizers[1].checkpointPrefix, std::string("training/Adagrad_1"));
    QVERIFY(!model->optimizers[1].ownsGlobalStep);
}

void TstLowering::putsOptimizersOfAMultiHeadUnderANumberedScope()
{
    const auto model =
        lower("linear_estimator { feature_columns: 'age' optimizer { sgd {} } head { "
              "multi_head { heads { regression_head { name: 'a' } } heads { "
              "regression_head { name: 'b' label_dimension: 2 } } } } }");
    VERIFY_OK(model);
    QCOMPARE(model->optimizers[0].checkpointPrefix, std::string("training_2/SGD"));
    QCOMPARE(model->graph.value(model->graph.logits).width, std::int64_t(3));
}

void TstLowering::givesTheStepToTheLinearOptimizerWithoutADnn()
{
    const auto model = lower("dnn_linear_combined_regressor { linear_feature_columns: 'job' "
                             "linear_optimizer { ftrl {} } }");
    VERIFY_OK(model);
    QCOMPARE(model->optimizers.size(), std::size_t(1));
    QVERIFY(model->optimizers[0].ownsGlobalStep);
}

void TstLowering::normalizesAfterDropout()
{
    const auto model =
        lower("dnn_regressor { feature_columns: 'age' hidden_units: [7] batch_norm: true dropout: "
              "0.5 optimizer { adagrad {} } }");
    VERIFY_OK(model);
    Names layers;
    for (const graph::Node& node : model->graph.nodes) {
        layers.push_back(node.name);
    }
    QCOMPARE(layers,
             (Names{"dnn/input_from_feature_columns/input_layer", "dnn/hiddenlayer_0",
                    "dnn/hiddenlayer_0/dropout", "dnn/hiddenlayer_0/batchnorm_0", "dnn/logits"}));
}

void TstLowering::summarizesWhatTensorflowDoes()
{
    const auto model = lower("dnn_linear_combined_regressor { linear_feature_columns: 'job' "
                             "linear_optimizer { ftrl {} } dnn_feature_columns: 'age' "
                             "dnn_hidden_units: 4 dnn_optimizer { adagrad {} } }");
    VERIFY_OK(model);
    Names tags;
    for (const graph::Summary& summary : model->graph.summaries) {
        tags.push_back(summary.tag);
    }
    QCOMPARE(tags, (Names{"dnn/hiddenlayer_0/fraction_of_zero_values",
                          "dnn/hiddenlayer_0/activation", "dnn/logits/fraction_of_zero_values",
                          "dnn/logits/activation", "bias", "fraction_of_zero_weights",
                          "linear/fraction_of_zero_values", "linear/activation"}));
}

void TstLowering::refusesABareCategoricalColumnInADnn()
{
    VERIFY_ERROR(lower("dnn_regressor { feature_columns: 'job' hidden_units: [7] optimizer { "
                       "adagrad {} } }"),
                 "layers.bare_categorical");
}

void TstLowering::refusesTwoColumnsOfOneName()
{
    VERIFY_ERROR(
        lower("linear_regressor { feature_columns: ['age', 'age'] optimizer { ftrl {} } }"),
        "estimators.duplicate_column");
}

void TstLowering::refusesAnUnknownColumn()
{
    VERIFY_ERROR(lower("linear_regressor { feature_columns: 'size' optimizer { ftrl {} } }"),
                 "estimators.unknown_column");
}

void TstLowering::refusesACombinedModelWithoutColumns()
{
    VERIFY_ERROR(lower("dnn_linear_combined_regressor {}"), "estimators.no_columns");
    VERIFY_ERROR(lower("dnn_linear_combined_regressor { dnn_feature_columns: 'age' }"),
                 "estimators.no_hidden_units");
}

CANNERY_TEST(TstLowering)
#include "tst_lowering.moc"
