// SPDX-License-Identifier: Apache-2.0
#include "core/spec/networks/network_blocks.h"
#include "tests/support/test_main.h"

#include <google/protobuf/text_format.h>

#include <QTest>

using namespace cannery;
using namespace cannery::spec;

/// Networks with their blocks unfolded: names, connections, and what is refused before layers are
/// made.
class TstNetworkBlocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leavesANetworkWithoutBlocksAsItIs();
    void namesLayersAfterTheirBlocks();
    void connectsRepetitions();
    void givesABlockAllItsInputs();
    void unfoldsBlocksInBlocks();
    void freezesWhatIsInAFrozenBlock();
    void findsTheOwnersOfWeights();
    void beginsANetworkWithABlock();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void tellsAProblemOnceForAllRepetitions();
    void refusesMoreLayersThanItMakes();
};

namespace {

NetworkGraph graphOf(const QString& text)
{
    NetworkGraph network;
    if (!google::protobuf::TextFormat::ParseFromString(text.toStdString(), &network)) {
        qFatal("%s is not a network", qPrintable(text));
    }
    return network;
}

/// "name < inputs", in the order in which they are computed.
QStringList layersOf(const NetworkGraph& network)
{
    const UnfoldedNetwork unfolded = unfold(network);
    for (const UnfoldingProblem& problem : unfolded.problems) {
        qWarning("%s: %s", problem.path.toString().c_str(), problem.error.message().c_str());
    }
    QStringList layers;
    for (const int index : unfolded.order) {
        const UnfoldedLayer& layer = unfolded.layers[static_cast<std::size_t>(index)];
        QStringList inputs;
        for (const int input : layer.inputs) {
            inputs << QString::fromStdString(unfolded.layers[static_cast<std::size_t>(input)].name);
        }
        layers << QString::fromStdString(layer.name) + " < " + inputs.join(" ");
    }
    return layers;
}

/// "path id".
QStringList problemsOf(const NetworkGraph& network)
{
    const UnfoldedNetwork unfolded = unfold(network);
    QStringList problems;
    for (const UnfoldingProblem& problem : unfolded.problems) {
        problems << QString::fromStdString(problem.path.toString() + " " + problem.error.id);
    }
    if (!problems.isEmpty() && !unfolded.layers.empty()) {
        problems << "layers in spite of problems";
    }
    return problems;
}

} // namespace

void TstNetworkBlocks::leavesANetworkWithoutBlocksAsItIs()
{
    const NetworkGraph network = graphOf(
        "layer { name: 'sum' inputs: ['b', 'in'] add {} } layer { name: 'in' input_layer {} }"
        "layer { name: 'b' dense {} } layer { inputs: 'sum' dense {} }");
    QCOMPARE(layersOf(network), QStringList({"in < ", "b < in", "sum < b in", "dense < sum"}));
    const UnfoldedNetwork unfolded = unfold(network);
    QCOMPARE(unfolded.layers.front().name, std::string("sum"));
    QCOMPARE(unfolded.layers.front().path.toString(), std::string("layer[0]"));
    QCOMPARE(unfolded.layers.front().inputs, (std::vector<int>{2, 1}));
}

void TstNetworkBlocks::namesLayersAfterTheirBlocks()
{
    const NetworkGraph network = graphOf(
        "layer { input_layer {} } layer { block { layer { dense {} } layer { dense {} } } }"
        "layer { block { layer { name: 'a' dense {} } } } layer { name: 'dense' flatten {} }");
    QCOMPARE(layersOf(network), QStringList({"input_layer < ", "block/dense < input_layer",
                                             "block/dense_1 < block/dense",
                                             "block_1/a < block/dense_1", "dense < block_1/a"}));
    QCOMPARE(unfold(network).layers[2].path.toString(), std::string("layer[1].block.layer[1]"));
}

void TstNetworkBlocks::connectsRepetitions()
{
    QCOMPARE(layersOf(graphOf("layer { input_layer {} }"
                              "layer { name: 'r' block { repeat: 3 layer { name: 'up' dense {} }"
                              "  layer { inputs: ['up', 'input'] add {} } } }"
                              "layer { flatten {} }")),
             QStringList({"input_layer < ", "r/1/up < input_layer", "r/1/add < r/1/up input_layer",
                          "r/2/up < r/1/add", "r/2/add < r/2/up r/1/add", "r/3/up < r/2/add",
                          "r/3/add < r/3/up r/2/add", "flatten < r/3/add"}));
}

void TstNetworkBlocks::givesABlockAllItsInputs()
{
    // A layer in front of those that it reads, too.
    QCOMPARE(layersOf(graphOf("layer { name: 'out' inputs: 'b' flatten {} }"
                              "layer { name: 'b' inputs: ['x', 'y'] block { layer { add {} } } }"
                              "layer { name: 'x' input_layer {} } layer { name: 'y' dense {} }"
                              "layer { inputs: 'out' dense {} }")),
             QStringList({"x < ", "y < x", "b/add < x y", "out < b/add", "dense < out"}));
}

void TstNetworkBlocks::unfoldsBlocksInBlocks()
{
    QCOMPARE(
        layersOf(graphOf("layer { input_layer {} }"
                         "layer { name: 'a' block { repeat: 2 layer { name: 'b' block { repeat: 2"
                         "  layer { name: 'c' dense {} } } }"
                         "  layer { name: 'd' inputs: ['input', 'b'] add {} } } }")),
        QStringList({"input_layer < ", "a/1/b/1/c < input_layer", "a/1/b/2/c < a/1/b/1/c",
                     "a/1/d < input_layer a/1/b/2/c", "a/2/b/1/c < a/1/d", "a/2/b/2/c < a/2/b/1/c",
                     "a/2/d < a/1/d a/2/b/2/c"}));
}

void TstNetworkBlocks::freezesWhatIsInAFrozenBlock()
{
    const NetworkGraph network =
        graphOf("layer { input_layer {} } layer { trainable: false block { layer { dense {} } } }"
                "layer { block { layer { trainable: false dense {} } layer { dense {} } } }");
    const UnfoldedNetwork unfolded = unfold(network);
    QStringList frozen;
    for (const UnfoldedLayer& layer : unfolded.layers) {
        QCOMPARE(layerOf(layer).trainable(), layer.isTrainable);
        frozen << (layer.isTrainable ? "" : QString::fromStdString(layer.name));
    }
    QCOMPARE(frozen, QStringList({"", "block/dense", "block_1/dense", ""}));
}

void TstNetworkBlocks::findsTheOwnersOfWeights()
{
    const NetworkGraph network =
        graphOf("layer { input_layer {} } layer { name: 'a' dense {} }"
                "layer { name: 'r' block { repeat: 2 layer { name: 'a' dense {} }"
                "  layer { shares_weights_with: 'a' dense {} } } }"
                "layer { name: 'b' shares_weights_with: 'r/2/dense' dense {} }");
    const UnfoldedNetwork unfolded = unfold(network);
    QVERIFY(unfolded.problems.empty());
    std::vector<int> owners;
    for (const UnfoldedLayer& layer : unfolded.layers) {
        owners.push_back(layer.sharesWeightsWith);
    }
    // A layer of the same block first; of a layer that has none itself, the one that has them.
    QCOMPARE(owners, (std::vector<int>{-1, -1, -1, 2, -1, 4, 4}));
}

void TstNetworkBlocks::beginsANetworkWithABlock()
{
    QCOMPARE(layersOf(graphOf("layer { name: 'stem' block { layer { name: 'in' input_layer {} }"
                              "  layer { dense {} } } } layer { flatten {} }")),
             QStringList({"stem/in < ", "stem/dense < stem/in", "flatten < stem/dense"}));
}

void TstNetworkBlocks::saysWhatIsWrong_data()
{
    QTest::addColumn<QString>("layers");
    QTest::addColumn<QStringList>("problems");
    const auto add = [](const char* name, const char* layers, const char* problem) {
        QTest::newRow(name) << "layer { input_layer {} }" + QString(layers) << QStringList{problem};
    };
    add("empty block", "layer { block {} }", "layer[1].block.layer spec.empty_block");
    add("unknown layer", "layer { block { layer { inputs: 'on' dense {} } } }",
        "layer[1].block.layer[0].inputs[0] spec.unknown_layer_in_block");
    add("layer outside of the block",
        "layer { block { layer { dense {} } layer { inputs: 'input_layer' flatten {} } } }",
        "layer[1].block.layer[1].inputs[0] spec.unknown_layer_in_block");
    add("a layer called input", "layer { block { layer { name: 'input' dense {} } } }",
        "layer[1].block.layer[0] spec.layer_called_input");
    add("two of one name",
        "layer { block { layer { name: 'a' dense {} } layer { name: 'a' dense {} } } }",
        "layer[1].block.layer[1] spec.layer_name_taken");
    add("a circle",
        "layer { block { layer { name: 'a' inputs: 'b' dense {} } layer { name: 'b' dense {} } } }",
        "layer[1].block.layer[0] spec.layer_cycle");
    add("nobody reads it",
        "layer { block { layer { name: 'a' dense {} } layer { inputs: 'input' dense {} } } }",
        "layer[1].block.layer[0] spec.unused_layer");
    add("inputs that no layer reads",
        "layer { inputs: 'input_layer' block { layer { input_layer {} } layer { dense {} } } }",
        "layer[1].inputs spec.block_input_unread");
    add("weights of a block", "layer { weights { name: 'kernel' } block { layer { dense {} } } }",
        "layer[1].weights spec.setting_of_block");
    add("a penalty of a block",
        "layer { activity_regularizer { l1: 1 } block { layer { dense {} } } }",
        "layer[1].activity_regularizer spec.setting_of_block");
    add("weights of another block",
        "layer { shares_weights_with: 'b' block { layer { dense {} } } }",
        "layer[1].shares_weights_with spec.setting_of_block");
    add("an owner that is not there", "layer { shares_weights_with: 'b' dense {} }",
        "layer[1].shares_weights_with spec.shared_unknown");
    add("an owner of another kind",
        "layer { name: 'b' flatten {} } layer { shares_weights_with: 'b' dense {} }",
        "layer[2].shares_weights_with spec.shared_kind");
    add("an owner without weights",
        "layer { name: 'b' inputs: 'c' add {} }"
        "layer { name: 'c' shares_weights_with: 'input_layer' input_layer {} }"
        "layer { inputs: ['input_layer', 'b'] add {} }",
        "layer[2].shares_weights_with spec.shared_nothing");
    add("an owner behind it",
        "layer { shares_weights_with: 'b' dense {} } layer { name: 'b' dense {} }",
        "layer[1].shares_weights_with spec.shared_later");
    add("itself", "layer { name: 'b' shares_weights_with: 'b' dense {} }",
        "layer[1].shares_weights_with spec.shared_later");
    add("one of two is frozen",
        "layer { name: 'b' trainable: false dense {} } layer { shares_weights_with: 'b' dense {} }",
        "layer[2].shares_weights_with spec.shared_trainable");
    add("two descriptions of one weight",
        "layer { name: 'b' dense {} }"
        "layer { shares_weights_with: 'b' weights { name: 'bias' } dense {} }",
        "layer[2].weights spec.shared_settings");
}

void TstNetworkBlocks::saysWhatIsWrong()
{
    QFETCH(QString, layers);
    QFETCH(QStringList, problems);
    QCOMPARE(problemsOf(graphOf(layers)), problems);
}

void TstNetworkBlocks::tellsAProblemOnceForAllRepetitions()
{
    QCOMPARE(problemsOf(graphOf("layer { input_layer {} } layer { block { repeat: 9"
                                "  layer { inputs: 'on' dense {} } } }")),
             QStringList("layer[1].block.layer[0].inputs[0] spec.unknown_layer_in_block"));
    QCOMPARE(problemsOf(graphOf("layer { input_layer {} } layer { block { repeat: 9"
                                "  layer { shares_weights_with: 'on' dense {} } } }")),
             QStringList("layer[1].block.layer[0].shares_weights_with spec.shared_unknown"));
}

void TstNetworkBlocks::refusesMoreLayersThanItMakes()
{
    const QString most = "layer { input_layer {} } layer { block { repeat: 3333 layer { dense {} }"
                         " layer { block { repeat: 2 layer { flatten {} } } } } }";
    QCOMPARE(unfold(graphOf(most)).layers.size(), std::size_t{10'000});
    QCOMPARE(problemsOf(graphOf(most + "layer { dense {} }")),
             QStringList(" spec.too_many_layers"));
    // As many as no computer holds, and numbers that no check has seen.
    QString deep = "layer { dense {} }";
    for (int level = 0; level < 30; ++level) {
        deep = "layer { block { repeat: 9223372036854775807 " + deep + " } }";
    }
    QCOMPARE(problemsOf(graphOf(deep)), QStringList(" spec.too_many_layers"));
    QCOMPARE(layersOf(graphOf("layer { input_layer {} } layer { block { repeat: -5"
                              " layer { dense {} } } }")),
             QStringList({"input_layer < ", "block/dense < input_layer"}));
}

CANNERY_TEST(TstNetworkBlocks)
#include "tst_network_blocks.moc"
