// SPDX-License-Identifier: Apache-2.0
#include "core/layers/masks/mask_catalog.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <algorithm>

using namespace cannery;

/// Which nodes masks make, and who reads them; their numbers are compared with Keras's in
/// tests/golden.
class TstMasks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void rulesStandInTheOrderOfTheSchema();
    void paddingIsHiddenFromWhatFollows();
    void aMaskThatNothingReadsIsNotMade();
    void aNamedMaskWins();
    void momentsReadTheMaskOfSteps();
    void layersThatCannotUseAMaskDropIt();
    void mergedMasksHideWhatAnyHides();
    void attentionReadsMasksOfQueriesAndValues();
    void refusesWhatDoesNotFit();
};

namespace {

/// A graph that is made node by node.
class Network
{
public:
    graph::ValueId input(const std::vector<std::int64_t>& shape)
    {
        graph::Value value{.name = "input", .width = Shape(shape).elementCount()};
        value.shape = shape.size() > 1 ? shape : std::vector<std::int64_t>();
        return m_builder.addInput(std::move(value), {});
    }
    Result<graph::ValueId> tryAdd(const std::string& layer, std::vector<graph::ValueId> inputs)
    {
        spec::Layer message;
        if (!google::protobuf::TextFormat::ParseFromString(layer, &message)) {
            qFatal("not a layer: %s", layer.c_str());
        }
        return m_flow.addNode("n" + std::to_string(m_count++), message, std::move(inputs));
    }
    graph::ValueId add(const std::string& layer, std::vector<graph::ValueId> inputs)
    {
        return *tryAdd(layer, std::move(inputs));
    }
    graph::ValueId tokens()
    {
        return add("token_embedding { input_dim: 5 output_dim: 3 mask_zero: true }", {input({4})});
    }
    bool isMasked(graph::ValueId value) const { return m_flow.hasMask(value); }
    std::vector<std::int64_t> maskShape(graph::ValueId value)
    {
        return graph::rowShape(m_builder.graph().value(*m_flow.maskOf(value)));
    }
    const graph::Node& last() const { return m_builder.graph().nodes.back(); }
    std::size_t nodeCount() const { return m_builder.graph().nodes.size(); }
    std::vector<std::int64_t> shapeOf(graph::ValueId value) const
    {
        return graph::rowShape(m_builder.graph().value(value));
    }

private:
    layers::LayerGraphBuilder m_builder;
    layers::MaskFlow m_flow{m_builder};
    int m_count = 0;
};

using Numbers = std::vector<std::int64_t>;

} // namespace

void TstMasks::rulesStandInTheOrderOfTheSchema()
{
    const auto rules = layers::maskCatalog();
    QVERIFY(std::ranges::adjacent_find(rules, std::ranges::greater_equal(),
                                       &layers::MaskRow::key) == rules.end());
}

void TstMasks::paddingIsHiddenFromWhatFollows()
{
    Network network;
    const graph::ValueId words = network.tokens();
    QCOMPARE(network.shapeOf(words), (Numbers{4, 3}));
    const graph::ValueId bent = network.add("dense { units: 2 }", {words});
    const graph::ValueId all = network.add("lstm { units: 2 return_sequences: true }", {bent});
    QCOMPARE(network.last().inputs.size(), std::size_t{2});
    QCOMPARE(network.shapeOf(network.last().inputs[1]), (Numbers{4, 1}));
    const graph::ValueId last = network.add("gru { units: 2 }", {all});
    QCOMPARE(network.last().inputs.size(), std::size_t{2});
    QVERIFY(!network.isMasked(last));
    network.add("global_average_pooling_1d {}", {all});
    QCOMPARE(network.shapeOf(network.last().inputs[1]), (Numbers{4}));
}

void TstMasks::aMaskThatNothingReadsIsNotMade()
{
    Network network;
    const graph::ValueId words = network.tokens();
    network.add("flatten {}", {network.add("dropout { rate: 0.5 }", {words})});
    QCOMPARE(network.nodeCount(), std::size_t{3});
    // One for all who read it; a recurrent layer reads another shape of it.
    network.add("global_average_pooling_1d {}", {words});
    network.add("global_average_pooling_1d {}", {words});
    QCOMPARE(network.nodeCount(), std::size_t{6});
}

void TstMasks::momentsReadTheMaskOfSteps()
{
    Network network;
    const graph::ValueId words = network.tokens();
    const graph::ValueId even = network.add("batch_normalization {}", {words});
    QCOMPARE(network.last().inputs.size(), std::size_t{2});
    QVERIFY(network.isMasked(even));
    // Moments of each step by itself count all rows, other than Keras's.
    network.add("batch_normalization { axis: 1 }", {words});
    QCOMPARE(network.last().inputs.size(), std::size_t{1});
}

void TstMasks::aNamedMaskWins()
{
    Network network;
    const graph::ValueId words = network.tokens();
    const graph::ValueId own = network.input({4, 1});
    network.add("lstm { units: 2 }", {words, own});
    QCOMPARE(network.last().inputs, (std::vector<graph::ValueId>{words, own}));
    const graph::ValueId shown = network.input({4});
    network.add("attention {}", {words, words, words, shown});
    QCOMPARE(network.last().inputs, (std::vector<graph::ValueId>{words, words, words, shown}));
    const graph::ValueId start = network.input({2});
    network.add("gru { units: 2 }", {words, start});
    QCOMPARE(network.last().inputs.size(), std::size_t{3});
    QCOMPARE(network.last().inputs.back(), start);
}

void TstMasks::layersThatCannotUseAMaskDropIt()
{
    Network network;
    const graph::ValueId words = network.tokens();
    for (const char* layer :
         {"reshape { target_shape: [4, 3] }", "conv_1d { filters: 2 kernel_size: 1 }",
          "permute { dims: [2, 1] }", "rescaling { scale: 2 }", "global_max_pooling_1d {}",
          "max_pooling_1d {}"}) {
        QVERIFY2(!network.isMasked(network.add(layer, {words})), layer);
    }
    for (const char* layer : {"activation { function: relu }", "layer_normalization {}",
                              "spatial_dropout_1d { rate: 0.1 }", "prelu {}", "softmax {}"}) {
        QVERIFY2(network.isMasked(network.add(layer, {words})), layer);
        // The softmax of channels does not hide steps.
        QCOMPARE(network.last().inputs.size(), std::size_t{1});
    }
    const graph::ValueId plain =
        network.add("token_embedding { input_dim: 5 output_dim: 3 }", {network.input({4})});
    QVERIFY(!network.isMasked(plain));
}

void TstMasks::mergedMasksHideWhatAnyHides()
{
    Network network;
    const graph::ValueId left = network.tokens();
    const graph::ValueId right = network.add("masking { mask_value: 1 }", {network.input({4, 3})});
    const graph::ValueId bare = network.input({4, 3});
    const graph::ValueId sum = network.add("add {}", {left, bare, right});
    QCOMPARE(network.maskShape(sum), (Numbers{4}));
    QVERIFY(network.last().layer.has_multiply());
    const graph::ValueId beside = network.add("concatenate {}", {left, bare});
    QCOMPARE(network.maskShape(beside), (Numbers{4}));
    const graph::ValueId behind = network.add("concatenate { axis: 1 }", {bare, right});
    QCOMPARE(network.maskShape(behind), (Numbers{8}));
    QVERIFY(!network.isMasked(network.add("add {}", {bare, bare})));
}

void TstMasks::attentionReadsMasksOfQueriesAndValues()
{
    Network network;
    const graph::ValueId words = network.tokens();
    const graph::ValueId bare = network.input({6, 3});
    const graph::ValueId answers = network.add("attention {}", {words, bare});
    QCOMPARE(network.last().inputs.size(), std::size_t{5});
    QCOMPARE(network.shapeOf(network.last().inputs[3]), (Numbers{6}));
    QCOMPARE(network.shapeOf(network.last().inputs[4]), (Numbers{4}));
    QVERIFY(network.isMasked(answers));
    QVERIFY(!network.isMasked(network.add("additive_attention {}", {bare, words})));
    QCOMPARE(network.last().inputs.size(), std::size_t{4});
    const std::string heads = "multi_head_attention { num_heads: 1 key_dim: 2 }";
    network.add(heads, {bare, words});
    QCOMPARE(network.shapeOf(network.last().inputs[3]), (Numbers{4}));
    network.add(heads, {words, bare, bare});
    QCOMPARE(network.shapeOf(network.last().inputs[3]), (Numbers{4, 6}));
    const graph::ValueId pairs = network.add("masking {}", {network.input({2, 3, 3})});
    network.add(heads, {bare, pairs});
    QCOMPARE(network.shapeOf(network.last().inputs[3]), (Numbers{6}));
}

void TstMasks::refusesWhatDoesNotFit()
{
    Network network;
    VERIFY_ERROR(network.tryAdd("masking {}", {network.input({4})}), "layers.masked_rank");
    VERIFY_ERROR(network.tryAdd("token_embedding { output_dim: 3 }", {network.input({4})}),
                 "layers.token_table");
    VERIFY_ERROR(network.tryAdd("token_embedding { input_dim: 3 output_dim: 2147483647 }",
                                {network.input({1 << 23})}),
                 "layers.output_too_large");
    VERIFY_ERROR(
        network.tryAdd("global_average_pooling_1d {}", {network.input({4, 2}), network.input({5})}),
        "layers.pooling_mask");
    VERIFY_ERROR(
        network.tryAdd("global_max_pooling_1d {}", {network.input({4, 2}), network.input({4})}),
        "layers.input_count");
}

CANNERY_TEST(TstMasks)
#include "tst_masks.moc"
