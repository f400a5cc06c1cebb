// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/network_lowering.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

/// Networks of one's own, lowered: names, shapes, and the place of what does not fit.
class TstCustomEstimator : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void namesVariablesAfterLayers();
    void freezesLayersAndBeginsAsTold();
    void givesShapesToValues();
    void repeatsWhatIsMerged();
    void givesVariablesToNormalizations();
    void leavesColumnsToADenseLayerAlone();
    void hidesPaddingWithoutAWordMore();
    void saysWhereAShapeDoesNotFit_data();
    void saysWhereAShapeDoesNotFit();
    void saysWhatCannotBeMergedOrNormalized_data();
    void saysWhatCannotBeMergedOrNormalized() { refuseBadNetwork(); }
};

void TstCustomEstimator::namesVariablesAfterLayers()
{
    const auto model =
        lowerNetwork(kImage + "layer { conv_2d { filters: 6 kernel_size: [3, 1] } }"
                              "layer { name: 'each' depthwise_conv_2d { kernel_size: 2 "
                              "depth_multiplier: 2 use_bias: false } }"
                              "layer { flatten {} } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{"conv_2d/kernel [3, 1, 2, 6]", "conv_2d/bias [6]",
                                       "each/depthwise_kernel [2, 2, 6, 2]", "dense/kernel [12, 3]",
                                       "dense/bias [3]"}));
}

void TstCustomEstimator::freezesLayersAndBeginsAsTold()
{
    const auto model = lowerNetwork(
        kImage + "layer { name: 'seen' trainable: false conv_2d { filters: 2 kernel_size: 2 } "
                 "weights { name: 'kernel' initializer { he_normal {} } } }"
                 "layer { name: 'kept' trainable: false batch_normalization {} }"
                 "layer { flatten {} }"
                 "layer { name: 'top' dense { units: 3 } "
                 "weights { name: 'kernel' initializer { zeros {} } } }");
    VERIFY_OK(model);
    for (const graph::Variable& variable : model->graph.variables) {
        QCOMPARE(variable.trainable, variable.name.starts_with("top/"));
    }
    QVERIFY(model->graph.variables.front().initializer.has_he_normal());
    QVERIFY(model->graph.variables[model->graph.variables.size() - 2].initializer.has_zeros());
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

void TstCustomEstimator::hidesPaddingWithoutAWordMore()
{
    const auto model = lowerNetwork(
        "layer { input_layer {} }"
        "layer { name: 'words' token_embedding { input_dim: 9 output_dim: 3 mask_zero: true } }"
        "layer { lstm { units: 4 } } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{"words/embeddings [9, 3]", "lstm/lstm_cell/kernel [3, 16]",
                                       "lstm/lstm_cell/recurrent_kernel [4, 16]",
                                       "lstm/lstm_cell/bias [16]", "dense/kernel [4, 3]",
                                       "dense/bias [3]"}));
    const auto lstm = std::ranges::find(model->graph.nodes, "lstm/lstm_cell", &graph::Node::name);
    QVERIFY(lstm != model->graph.nodes.end());
    QCOMPARE(lstm->inputs.size(), std::size_t{2});
    const graph::Variable& table = model->graph.variables.front();
    QCOMPARE(table.initializer.random_uniform().maxval(), 0.05);
    QVERIFY(table.gradient == graph::GradientKind::Sparse);
}

void TstCustomEstimator::saysWhereAShapeDoesNotFit_data()
{
    addColumnsOfBadNetworks();
    const auto row = badNetwork;
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
    row("one input", kImage + "layer { concatenate {} }", "layers.input_count", 2);
    row("beside other pixels",
        kImage + "layer { max_pooling_2d { pool_size: 1 strides: 2 } }"
                 "layer { inputs: ['max_pooling_2d', 'image'] concatenate {} }",
        "layers.concatenate_shapes", 3);
    row("a vector to mask", "layer { input_layer {} } layer { masking {} }", "layers.masked_rank",
        1);
    row("a mask of other steps",
        kSteps + "layer { name: 'other' inputs: 'in' dense { units: 5 } }"
                 "layer { inputs: ['steps', 'other'] global_average_pooling_1d {} }",
        "layers.pooling_mask", 3);
    row("a table without ids",
        "layer { input_layer {} } layer { token_embedding { output_dim: 4 } }",
        "layers.token_table", 1);
    row("too few logits", "layer { input_layer {} } layer { dense { units: 2 } }",
        "estimators.logits_width", 1);
    row("logits of an image", kImage + "layer { dense { units: 3 } }", "estimators.logits_width",
        2);
}

void TstCustomEstimator::saysWhatCannotBeMergedOrNormalized_data()
{
    addColumnsOfBadNetworks();
    const auto besideImage = [](const std::string& target, const std::string& layer) {
        return kImage + "layer { name: 'other' inputs: 'in' reshape { target_shape: " + target +
               " } } layer { inputs: ['other', 'image'] " + layer + " }";
    };
    badNetwork("factors of other shapes", besideImage("[2, 2, 4]", "multiply {}"),
               "layers.merged_shapes", 3);
    badNetwork("three to subtract",
               kImage + "layer { inputs: ['image', 'image', 'image'] subtract {} }",
               "layers.input_count", 2);
    badNetwork("along the batch", kImage + "layer { layer_normalization { axis: 0 } }",
               "layers.axis", 2);
    badNetwork("along a fourth dimension", kImage + "layer { batch_normalization { axis: 4 } }",
               "layers.axis", 2);
    badNetwork("along dimension -4", besideImage("[4, 2, 2]", "concatenate { axis: -4 }"),
               "layers.axis", 3);
    badNetwork("along a dimension twice", kImage + "layer { unit_normalization { axis: [3, -1] } }",
               "layers.axis_twice", 2);
    badNetwork("a dot of three", besideImage("[4, 2, 2]", "dot { axes: [1, 2, 3] }"),
               "layers.dot_axes", 3);
    badNetwork("a dot of other sizes", besideImage("[4, 2, 2]", "dot { axes: [1, 2] }"),
               "layers.dot_sizes", 3);
    badNetwork("groups of channels", kImage + "layer { group_normalization {} }",
               "layers.channel_groups", 2);
    badNetwork("no group of channels", kImage + "layer { group_normalization { groups: 0 } }",
               "layers.channel_groups", 2);
    badNetwork("three numbers for two channels",
               kImage + "layer { normalization { mean: [1, 2, 3] } }", "layers.channel_numbers", 2);
}

void TstCustomEstimator::saysWhereAShapeDoesNotFit()
{
    refuseBadNetwork();
}

CANNERY_TEST(TstCustomEstimator)
#include "tst_custom_estimator.moc"
