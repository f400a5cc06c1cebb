// SPDX-License-Identifier: Apache-2.0
#include "core/base/check.h"
#include "core/estimators/estimator_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <fmt/core.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

using namespace cannery;

/// Networks of one's own, lowered: names, shapes, and the place of what does not fit.
class TstCustomEstimator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesVariablesAfterLayers();
    void givesShapesToValues();
    void repeatsWhatIsMerged();
    void givesVariablesToNormalizations();
    void leavesColumnsToADenseLayerAlone();
    void readsRowsAsSequences();
    void readsSequences();
    void readsStepsOfRows();
    void reshapesAndResizes();
    void makesImagesLarger();
    void saysWhereAShapeDoesNotFit_data();
    void saysWhereAShapeDoesNotFit();
    void saysWhereAWindowDoesNotFit_data();
    void saysWhereAWindowDoesNotFit();

private:
    static void refuses();
};

namespace {

/// A column of 16 numbers, one of two at each step, and this network with a head of three classes.
Result<graph::LoweredModel> lowerNetwork(const std::string& layers)
{
    spec::Experiment experiment;
    const std::string text =
        "feature_column { name: 'x' numeric_column { key: 'x' shape: 16 } }"
        "feature_column { name: 's' sequence_numeric_column { key: 's' shape: 2 } }"
        "estimator { custom_estimator { head { multi_class_head { n_classes: 3 } }"
        "feature_columns: 'x' sequence_feature_columns: 's' optimizer { adam {} } graph { " +
        layers + " } } }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Dense, .column = "x", .tensorflowName = "x", .width = 16},
        {.kind = features::SlotKind::Sequence, .column = "s", .tensorflowName = "s", .width = 2}};
    return estimators::lower(experiment, layout);
}

const graph::Value& outputOf(const graph::LoweredModel& model, const std::string& name)
{
    const auto node = std::ranges::find(model.graph.nodes, name, &graph::Node::name);
    CANNERY_CHECK(node != model.graph.nodes.end());
    return model.graph.value(node->output);
}

const std::string kSteps = "layer { name: 'in' input_layer {} }"
                           "layer { name: 'steps' reshape { target_shape: [8, 2] } }";
const std::string kImage = "layer { name: 'in' input_layer {} }"
                           "layer { name: 'image' reshape { target_shape: [4, 2, -1] } }";

} // namespace

void TstCustomEstimator::namesVariablesAfterLayers()
{
    const auto model =
        lowerNetwork(kImage + "layer { conv_2d { filters: 6 kernel_size: [3, 1] } }"
                              "layer { name: 'each' depthwise_conv_2d { kernel_size: 2 "
                              "depth_multiplier: 2 use_bias: false } }"
                              "layer { flatten {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    std::vector<std::string> variables;
    for (const graph::Variable& variable : model->graph.variables) {
        variables.push_back(variable.name + " " + variable.shape.toString());
    }
    QCOMPARE(variables, (std::vector<std::string>{"conv_2d/kernel [3, 1, 2, 6]", "conv_2d/bias [6]",
                                                  "each/depthwise_kernel [2, 2, 6, 2]",
                                                  "dense/kernel [12, 3]", "dense/bias [3]"}));
}

void TstCustomEstimator::givesShapesToValues()
{
    const auto model = lowerNetwork(
        kImage +
        "layer { name: 'conv' conv_2d { filters: 6 kernel_size: 3 padding: same strides: 2 } }"
        "layer { name: 'pool' inputs: 'image' max_pooling_2d { strides: [1, 2] } }"
        "layer { name: 'rows' inputs: 'pool' dense { units: 6 } }"
        "layer { name: 'thin' reshape { target_shape: [-1, 1, 6] } }"
        "layer { name: 'mean' inputs: 'conv' global_average_pooling_2d { keepdims: true } }"
        "layer { name: 'both' inputs: ['mean', 'thin2'] concatenate {} }"
        "layer { name: 'thin2' inputs: 'thin' global_max_pooling_2d { keepdims: true } }"
        "layer { name: 'flat' inputs: 'both' flatten {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    using Numbers = std::vector<std::int64_t>;
    QCOMPARE(graph::rowShape(outputOf(*model, "image")), (Numbers{4, 2, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "conv")), (Numbers{2, 1, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "pool")), (Numbers{3, 1, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "rows")), (Numbers{3, 1, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "both")), (Numbers{1, 1, 12}));
    QCOMPARE(graph::rowShape(outputOf(*model, "flat")), (Numbers{12}));
}

void TstCustomEstimator::repeatsWhatIsMerged()
{
    const auto model = lowerNetwork(
        kImage +
        "layer { name: 'rows' reshape { target_shape: [8, 1, 2] } }"
        "layer { name: 'columns' inputs: 'in' reshape { target_shape: [1, 4, 4] } }"
        "layer { name: 'single' inputs: 'rows' dense { units: 1 } }"
        "layer { name: 'sum' inputs: ['single', 'columns'] add {} }"
        "layer { name: 'vector' inputs: 'rows' global_average_pooling_2d {} }"
        "layer { name: 'largest' inputs: ['vector', 'rows'] maximum {} }"
        "layer { name: 'products' inputs: ['largest', 'image'] dot { axes: [3, 2] } }"
        "layer { name: 'similar' inputs: ['vector', 'vector'] dot { axes: 1 normalize: true } }"
        "layer { name: 'below' inputs: ['largest', 'rows'] concatenate { axis: 2 } }"
        "layer { name: 'a' inputs: 'sum' flatten {} } layer { name: 'b' inputs: 'below' flatten {} "
        "}"
        "layer { name: 'c' inputs: 'products' flatten {} }"
        "layer { inputs: ['a', 'b', 'c', 'similar'] concatenate {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    using Numbers = std::vector<std::int64_t>;
    QCOMPARE(graph::rowShape(outputOf(*model, "sum")), (Numbers{8, 4, 4}));
    QCOMPARE(graph::rowShape(outputOf(*model, "largest")), (Numbers{8, 1, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "products")), (Numbers{8, 1, 4, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "similar")), (Numbers{1}));
    QCOMPARE(graph::rowShape(outputOf(*model, "below")), (Numbers{8, 2, 2}));
}

void TstCustomEstimator::givesVariablesToNormalizations()
{
    const auto model =
        lowerNetwork(kImage + "layer { batch_normalization { axis: 1 scale: false } }"
                              "layer { layer_normalization { axis: [3, 1] center: false } }"
                              "layer { group_normalization { groups: -1 } }"
                              "layer { unit_normalization {} }"
                              "layer { normalization {} }"
                              "layer { name: 'known' normalization { variance: 2 } }"
                              "layer { rescaling { scale: 2 } }"
                              "layer { flatten {} } layer { dense { units: 3 use_bias: false } }");
    VERIFY_OK(model);
    std::vector<std::string> variables;
    for (const graph::Variable& variable : model->graph.variables) {
        variables.push_back(variable.name + " " + variable.shape.toString() +
                            (variable.trainable ? "" : " kept"));
    }
    QCOMPARE(variables,
             (std::vector<std::string>{
                 "batch_normalization/beta [4]", "batch_normalization/moving_mean [4] kept",
                 "batch_normalization/moving_variance [4] kept", "layer_normalization/gamma [4, 2]",
                 "group_normalization/gamma [2]", "group_normalization/beta [2]",
                 "normalization/mean [2] kept", "normalization/variance [2] kept",
                 "normalization/count [] kept", "dense/kernel [16, 3]"}));
}

void TstCustomEstimator::leavesColumnsToADenseLayerAlone()
{
    const auto alone = lowerNetwork("layer { input_layer {} } layer { dense { units: 3 } }");
    VERIFY_OK(alone);
    QCOMPARE(alone->graph.nodes.size(), std::size_t{2});
    // Two readers get the numbers side by side.
    const auto shared = lowerNetwork("layer { name: 'in' input_layer {} }"
                                     "layer { name: 'a' dense { units: 3 } }"
                                     "layer { name: 'b' inputs: 'in' dense { units: 3 } }"
                                     "layer { inputs: ['a', 'b'] add {} }");
    VERIFY_OK(shared);
    QCOMPARE(shared->graph.nodes.size(), std::size_t{5});
    QCOMPARE(outputOf(*shared, "in/values").name, "in");
}

void TstCustomEstimator::readsRowsAsSequences()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kSteps +
        "layer { name: 'causal' conv_1d { filters: 4 kernel_size: 3 padding: causal groups: 2 } }"
        "layer { name: 'each' depthwise_conv_1d { kernel_size: 2 depth_multiplier: 3 stride: 2 } }"
        "layer { name: 'mixed' separable_conv_1d { filters: 5 kernel_size: 2 depth_multiplier: 2 } "
        "}"
        "layer { name: 'long' conv_1d_transpose { filters: 6 kernel_size: 5 stride: 2 } }"
        "layer { name: 'most' max_pooling_1d { pool_size: 3 } }"
        "layer { name: 'mean' average_pooling_1d { stride: 1 padding: same } }"
        "layer { name: 'all' global_average_pooling_1d { keepdims: true } }"
        "layer { name: 'top' global_max_pooling_1d {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    std::vector<std::string> variables;
    for (const graph::Variable& variable : model->graph.variables) {
        variables.push_back(variable.name + " " + variable.shape.toString());
    }
    QCOMPARE(variables,
             (std::vector<std::string>{
                 "causal/kernel [3, 1, 4]", "causal/bias [4]", "each/depthwise_kernel [2, 4, 3]",
                 "each/bias [12]", "mixed/depthwise_kernel [2, 12, 2]",
                 "mixed/pointwise_kernel [1, 24, 5]", "mixed/bias [5]", "long/kernel [5, 6, 5]",
                 "long/bias [6]", "dense/kernel [6, 3]", "dense/bias [3]"}));
    QCOMPARE(graph::rowShape(outputOf(*model, "causal")), (Numbers{8, 4}));
    QCOMPARE(graph::rowShape(outputOf(*model, "each")), (Numbers{4, 12}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mixed")), (Numbers{3, 5}));
    QCOMPARE(graph::rowShape(outputOf(*model, "long")), (Numbers{9, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "most")), (Numbers{3, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mean")), (Numbers{3, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "all")), (Numbers{1, 6}));
    QCOMPARE(graph::rowShape(outputOf(*model, "top")), (Numbers{6}));
}

void TstCustomEstimator::reshapesAndResizes()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kImage + "layer { name: 'turned' permute { dims: [3, 1, 2] } }"
                 "layer { name: 'around' zero_padding_2d { padding: [1, 3] } }"
                 "layer { name: 'inside' cropping_2d { cropping: [1, 0, 2, 3] } }"
                 "layer { name: 'kept' cropping_2d {} }"
                 "layer { name: 'large' up_sampling_2d { size: [2, 3] interpolation: bicubic } }"
                 "layer { name: 'steps' reshape { target_shape: [-1, 2] } }"
                 "layer { name: 'before' zero_padding_1d { padding: [3, 0] } }"
                 "layer { name: 'within' cropping_1d {} }"
                 "layer { name: 'slow' up_sampling_1d { size: 4 } }"
                 "layer { name: 'flat' flatten {} }"
                 "layer { name: 'again' repeat_vector { n: 5 } }"
                 "layer { flatten {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(graph::rowShape(outputOf(*model, "turned")), (Numbers{2, 4, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "around")), (Numbers{4, 10, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "inside")), (Numbers{3, 5, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "kept")), (Numbers{3, 5, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "large")), (Numbers{6, 15, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "before")), (Numbers{93, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "within")), (Numbers{91, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "slow")), (Numbers{364, 2}));
    QCOMPARE(graph::rowShape(outputOf(*model, "again")), (Numbers{5, 728}));
}

void TstCustomEstimator::makesImagesLarger()
{
    using Numbers = std::vector<std::int64_t>;
    const auto model = lowerNetwork(
        kImage +
        "layer { name: 'same' conv_2d_transpose { filters: 3 kernel_size: 3 strides: [2, 3] "
        "padding: same } }"
        "layer { name: 'odd' inputs: 'image' conv_2d_transpose { filters: 3 kernel_size: [3, 2] "
        "strides: 2 output_padding: [1, 0] } }"
        "layer { name: 'wide' inputs: 'image' conv_2d_transpose { filters: 3 kernel_size: 3 "
        "dilation_rate: 2 } }"
        "layer { name: 'sum' inputs: ['same', 'wide'] add {} }"
        "layer { name: 'mixed' separable_conv_2d { filters: 2 kernel_size: 3 stride: 2 } }"
        "layer { name: 'left' flatten {} } layer { name: 'right' inputs: 'odd' flatten {} }"
        "layer { inputs: ['left', 'right'] concatenate {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(graph::rowShape(outputOf(*model, "same")), (Numbers{8, 6, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "odd")), (Numbers{10, 4, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "wide")), (Numbers{8, 6, 3}));
    QCOMPARE(graph::rowShape(outputOf(*model, "mixed")), (Numbers{3, 2, 2}));
}

void TstCustomEstimator::readsSequences()
{
    const auto model = lowerNetwork("layer { name: 'row' input_layer {} }"
                                    "layer { name: 'steps' inputs: 'row' sequence_input {} }"
                                    "layer { bidirectional { merge_mode: sum gru { units: 4 "
                                    "return_sequences: true reset_after: false } } }"
                                    "layer { lstm { units: 5 } } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    // The row at every step, behind the columns of the step.
    QCOMPARE(outputOf(*model, "steps").kind, graph::ValueKind::Sequence);
    QCOMPARE(outputOf(*model, "steps").width, 18);
    QCOMPARE(outputOf(*model, "bidirectional").width, 4);
    std::vector<std::string> variables;
    for (const graph::Variable& variable : model->graph.variables) {
        variables.push_back(variable.name + " " + variable.shape.toString());
    }
    QCOMPARE(variables,
             (std::vector<std::string>{
                 "bidirectional/forward_gru/gru_cell/kernel [18, 12]",
                 "bidirectional/forward_gru/gru_cell/recurrent_kernel [4, 12]",
                 "bidirectional/forward_gru/gru_cell/bias [12]",
                 "bidirectional/backward_gru/gru_cell/kernel [18, 12]",
                 "bidirectional/backward_gru/gru_cell/recurrent_kernel [4, 12]",
                 "bidirectional/backward_gru/gru_cell/bias [12]", "lstm/lstm_cell/kernel [4, 20]",
                 "lstm/lstm_cell/recurrent_kernel [5, 20]", "lstm/lstm_cell/bias [20]",
                 "dense/kernel [5, 3]", "dense/bias [3]"}));
    QVERIFY(std::ranges::any_of(model->graph.summaries, [](const graph::Summary& summary) {
        return summary.tag == "steps/sequence_length" &&
               summary.kind == graph::SummaryKind::StepCounts;
    }));
}

void TstCustomEstimator::readsStepsOfRows()
{
    const auto model = lowerNetwork(
        kSteps + "layer { name: 'mask' inputs: 'in' dense { units: 8 } }"
                 "layer { name: 'each' reshape { target_shape: [8, 1] } }"
                 "layer { name: 'h' inputs: 'in' dense { units: 4 } }"
                 "layer { name: 'all' inputs: ['steps', 'each', 'h', 'h'] lstm { units: 4 "
                 "return_sequences: true use_bias: false } }"
                 "layer { name: 'both' bidirectional { simple_rnn { units: 3 } } }"
                 "layer { dense { units: 3 } }");
    VERIFY_OK(model);
    using Numbers = std::vector<std::int64_t>;
    QCOMPARE(graph::rowShape(outputOf(*model, "all/lstm_cell")), (Numbers{8, 4}));
    QCOMPARE(graph::rowShape(outputOf(*model, "both")), (Numbers{6}));
}

void TstCustomEstimator::saysWhereAShapeDoesNotFit_data()
{
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("layer");
    const auto row = [](const char* name, const std::string& layers, const char* id, int layer) {
        QTest::newRow(name) << QString::fromStdString(layers) << id << layer;
    };
    row("columns for a convolution",
        "layer { input_layer {} } layer { conv_2d { filters: 3 kernel_size: 1 } }",
        "layers.not_an_image", 1);
    row("other numbers", "layer { input_layer {} } layer { reshape { target_shape: [4, 5] } }",
        "layers.reshape_target", 1);
    row("two unknowns", "layer { input_layer {} } layer { reshape { target_shape: [-1, -1] } }",
        "layers.reshape_dimension", 1);
    row("a dimension of 0", "layer { input_layer {} } layer { reshape { target_shape: [16, 0] } }",
        "layers.reshape_dimension", 1);
    row("a product beyond 64 bits",
        "layer { input_layer {} } layer { reshape { target_shape: [2147483647, 2147483647, "
        "2147483647, 2147483647] } }",
        "layers.reshape_target", 1);
    row("a large window", kImage + "layer { conv_2d { filters: 3 kernel_size: 3 } }",
        "layers.window_too_large", 2);
    row("a window of three numbers", kImage + "layer { max_pooling_2d { pool_size: [1, 1, 1] } }",
        "layers.window_numbers", 2);
    row("groups", kImage + "layer { conv_2d { filters: 3 kernel_size: 1 groups: 2 } }",
        "layers.convolution_groups", 2);
    row("more numbers than there are",
        kImage + "layer { conv_2d { filters: 2147483647 kernel_size: 65536 padding: same } }",
        "layers.too_many_numbers", 2);
    row("other shapes",
        kImage + "layer { flatten {} } layer { inputs: ['flatten', 'image'] add {} }",
        "layers.merged_shapes", 3);
    const auto besideImage = [](const std::string& target, const std::string& layer) {
        return kImage + "layer { name: 'other' inputs: 'in' reshape { target_shape: " + target +
               " } } layer { inputs: ['other', 'image'] " + layer + " }";
    };
    row("factors of other shapes", besideImage("[2, 2, 4]", "multiply {}"), "layers.merged_shapes",
        3);
    row("three to subtract", kImage + "layer { inputs: ['image', 'image', 'image'] subtract {} }",
        "layers.input_count", 2);
    row("along the batch", kImage + "layer { layer_normalization { axis: 0 } }", "layers.axis", 2);
    row("along a fourth dimension", kImage + "layer { batch_normalization { axis: 4 } }",
        "layers.axis", 2);
    row("along dimension -4", besideImage("[4, 2, 2]", "concatenate { axis: -4 }"), "layers.axis",
        3);
    row("along a dimension twice", kImage + "layer { unit_normalization { axis: [3, -1] } }",
        "layers.axis_twice", 2);
    row("a dot of three", besideImage("[4, 2, 2]", "dot { axes: [1, 2, 3] }"), "layers.dot_axes",
        3);
    row("a dot of other sizes", besideImage("[4, 2, 2]", "dot { axes: [1, 2] }"),
        "layers.dot_sizes", 3);
    row("groups of channels", kImage + "layer { group_normalization {} }", "layers.channel_groups",
        2);
    row("no group of channels", kImage + "layer { group_normalization { groups: 0 } }",
        "layers.channel_groups", 2);
    row("three numbers for two channels", kImage + "layer { normalization { mean: [1, 2, 3] } }",
        "layers.channel_numbers", 2);
    row("one input", kImage + "layer { concatenate {} }", "layers.input_count", 2);
    row("beside other pixels",
        kImage + "layer { max_pooling_2d { pool_size: 1 strides: 2 } }"
                 "layer { inputs: ['max_pooling_2d', 'image'] concatenate {} }",
        "layers.concatenate_shapes", 3);
    row("a vector for a recurrent layer", "layer { input_layer {} } layer { lstm { units: 3 } }",
        "layers.recurrent_rows", 1);
    row("an image for a recurrent layer", kImage + "layer { gru { units: 3 } }",
        "layers.recurrent_rows", 2);
    row("no units", kSteps + "layer { simple_rnn {} }", "layers.recurrent_units", 2);
    row("a mask of other steps",
        kSteps + "layer { name: 'mask' inputs: 'in' reshape { target_shape: [16, 1] } }"
                 "layer { inputs: ['steps', 'mask'] lstm { units: 3 } }",
        "layers.recurrent_mask", 3);
    row("one state of an lstm",
        kSteps + "layer { name: 'h' inputs: 'in' dense { units: 3 } }"
                 "layer { inputs: ['steps', 'h'] lstm { units: 3 } }",
        "layers.initial_states", 3);
    row("a state of other units",
        kSteps + "layer { name: 'h' inputs: 'in' dense { units: 4 } }"
                 "layer { inputs: ['steps', 'h'] gru { units: 3 } }",
        "layers.initial_state", 3);
    row("nothing in both directions", kSteps + "layer { bidirectional {} }",
        "layers.bidirectional_empty", 2);
    row("backwards in both directions",
        kSteps + "layer { bidirectional { lstm { units: 3 go_backwards: true } } }",
        "layers.bidirectional_turned", 2);
    row("more steps than can be counted",
        "layer { input_layer {} } layer { dense { units: 2147483647 } }"
        "layer { reshape { target_shape: [2147483647, 1] } } layer { dense { units: 2147483647 } }"
        "layer { reshape { target_shape: [-1, 1] } } layer { bidirectional { lstm { units: 4 } } }",
        "layers.recurrent_width", 5);
    row("logits of steps",
        "layer { sequence_input {} } layer { gru { units: 3 return_sequences: "
        "true } }",
        "estimators.logits_of_steps", 1);
    row("a sequence that is masked",
        "layer { name: 'in' input_layer {} }"
        "layer { name: 'mask' reshape { target_shape: [16, 1] } }"
        "layer { name: 'steps' sequence_input {} }"
        "layer { inputs: ['steps', 'mask'] gru { units: 3 } }",
        "layers.masked_sequence", 3);
    row("a sequence for an activation",
        "layer { sequence_input {} } layer { activation {} } layer { gru { units: 3 } }",
        "layers.input_kind", 1);
    row("too few logits", "layer { input_layer {} } layer { dense { units: 2 } }",
        "estimators.logits_width", 1);
    row("logits of an image", kImage + "layer { dense { units: 3 } }", "estimators.logits_width",
        2);
}

void TstCustomEstimator::saysWhereAShapeDoesNotFit()
{
    refuses();
}

void TstCustomEstimator::saysWhereAWindowDoesNotFit_data()
{
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("layer");
    const auto row = [](const char* name, const std::string& layers, const char* id, int layer) {
        QTest::newRow(name) << QString::fromStdString(layers) << id << layer;
    };
    row("an image for steps", kImage + "layer { conv_1d { filters: 3 kernel_size: 1 } }",
        "layers.not_a_sequence", 2);
    row("a long window", kSteps + "layer { separable_conv_1d { filters: 3 kernel_size: 9 } }",
        "layers.window_too_long", 2);
    row("groups of steps", kSteps + "layer { conv_1d { filters: 3 kernel_size: 1 groups: 2 } }",
        "layers.convolution_groups", 2);
    row("output padding beyond the stride",
        kSteps + "layer { conv_1d_transpose { filters: 3 kernel_size: 3 stride: 2 "
                 "output_padding: 2 } }",
        "layers.output_padding", 2);
    row("output padding that an even window needs",
        kSteps + "layer { conv_1d_transpose { filters: 3 kernel_size: 2 stride: 2 padding: same "
                 "output_padding: 0 } }",
        "layers.output_padding", 2);
    row("three output paddings",
        kImage + "layer { conv_2d_transpose { filters: 3 kernel_size: 3 output_padding: "
                 "[1, 1, 1] } }",
        "layers.window_numbers", 2);
    row("more steps than can be counted",
        kSteps +
            "layer { up_sampling_1d { size: 65536 } } layer { up_sampling_1d { size: 65536 } }"
            "layer { up_sampling_1d { size: 65536 } } layer { up_sampling_1d { size: 65536 } }",
        "layers.output_too_large", 5);
    row("a dimension twice", kImage + "layer { permute { dims: [1, 2, 2] } }",
        "layers.permute_dims", 2);
    row("too few dimensions", kImage + "layer { permute { dims: [2, 1] } }", "layers.permute_dims",
        2);
    row("three edges", kImage + "layer { zero_padding_2d { padding: [1, 2, 3] } }",
        "layers.edge_numbers", 2);
    row("three ends", kSteps + "layer { zero_padding_1d { padding: [1, 2, 3] } }",
        "layers.window_numbers", 2);
    row("nothing left", kSteps + "layer { cropping_1d { cropping: [4, 4] } }",
        "layers.cropped_away", 2);
    row("steps to repeat", kSteps + "layer { repeat_vector { n: 2 } }", "layers.not_a_vector", 2);
}

void TstCustomEstimator::saysWhereAWindowDoesNotFit()
{
    refuses();
}

void TstCustomEstimator::refuses()
{
    QFETCH(QString, layers);
    QFETCH(QString, id);
    QFETCH(int, layer);
    const auto model = lowerNetwork(layers.toStdString());
    QVERIFY(!model);
    QCOMPARE(QString::fromStdString(model.error().id), id);
    QCOMPARE(model.error().path, fmt::format("estimator.custom_estimator.graph.layer[{}]", layer));
}

CANNERY_TEST(TstCustomEstimator)
#include "tst_custom_estimator.moc"
