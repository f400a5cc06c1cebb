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
    void leavesColumnsToADenseLayerAlone();
    void saysWhereAShapeDoesNotFit_data();
    void saysWhereAShapeDoesNotFit();
};

namespace {

/// A column of 16 numbers, and this network with a head of three classes.
Result<graph::LoweredModel> lowerNetwork(const std::string& layers)
{
    spec::Experiment experiment;
    const std::string text =
        "feature_column { name: 'x' numeric_column { key: 'x' shape: 16 } }"
        "estimator { custom_estimator { head { multi_class_head { n_classes: 3 } }"
        "feature_columns: 'x' optimizer { adam {} } graph { " +
        layers + " } } }";
    CANNERY_CHECK(google::protobuf::TextFormat::ParseFromString(text, &experiment));
    features::InputLayout layout;
    layout.slots = {
        {.kind = features::SlotKind::Dense, .column = "x", .tensorflowName = "x", .width = 16}};
    return estimators::lower(experiment, layout);
}

const graph::Value& outputOf(const graph::LoweredModel& model, const std::string& name)
{
    const auto node = std::ranges::find(model.graph.nodes, name, &graph::Node::name);
    CANNERY_CHECK(node != model.graph.nodes.end());
    return model.graph.value(node->output);
}

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
        "layers.add_shapes", 3);
    row("one input", kImage + "layer { concatenate {} }", "layers.input_count", 2);
    row("beside other pixels",
        kImage + "layer { max_pooling_2d { pool_size: 1 strides: 2 } }"
                 "layer { inputs: ['max_pooling_2d', 'image'] concatenate {} }",
        "layers.concatenate_shapes", 3);
    row("too few logits", "layer { input_layer {} } layer { dense { units: 2 } }",
        "estimators.logits_width", 1);
    row("logits of an image", kImage + "layer { dense { units: 3 } }", "estimators.logits_width",
        2);
}

void TstCustomEstimator::saysWhereAShapeDoesNotFit()
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
