// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/network_lowering.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

/// What a network's layers say of their weights, lowered: whose they are, and what cannot be.
class TstCustomWeights : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void areFoundByTheEndOfTheirNames();
    void keepTheDefaultsOfKeras();
    void penaltiesOfOutputsAreNodesOfTheirOwn();
    void sayWhatDoesNotFit_data();
    void sayWhatDoesNotFit() { refuseBadNetwork(); }
    void listTheWeightsOfALayer();
};

namespace {

const graph::Variable& variableOf(const graph::LoweredModel& model, const std::string& name)
{
    return *std::ranges::find(model.graph.variables, name, &graph::Variable::name);
}

/// An image, a layer with these weights, and the logits.
std::string weighed(const std::string& layer, const std::string& weights)
{
    return kImage + "layer { name: 'one' " + layer + " " + weights +
           " } layer { flatten {} } layer { dense { units: 3 } }";
}

std::string weightsOf(const std::string& name, const std::string& what)
{
    return "weights { name: '" + name + "' " + what + " }";
}

} // namespace

void TstCustomWeights::areFoundByTheEndOfTheirNames()
{
    const std::string decay = "regularizer { l1_l2 { l2: 0.5 } }";
    const auto model = lowerNetwork(
        kSteps +
        "layer { name: 'both' bidirectional { lstm { units: 2 return_sequences: true } } " +
        weightsOf("forward/kernel", decay) + weightsOf("backward_lstm/lstm_cell/bias", decay) +
        " } layer { name: 'last' gru { units: 4 } " + weightsOf("recurrent_kernel", decay) +
        weightsOf("gru_cell/kernel", decay) + " } layer { name: 'out' dense { units: 3 } " +
        weightsOf("kernel", "constraint { max_norm { max_value: 0.5 } }") + " }");
    VERIFY_OK(model);
    std::vector<std::string> penalized;
    std::vector<std::string> constrained;
    for (const graph::Variable& variable : model->graph.variables) {
        if (variable.regularizer.has_l1_l2()) {
            penalized.push_back(variable.name);
        }
        if (variable.constraint.has_max_norm()) {
            constrained.push_back(variable.name);
        }
    }
    QCOMPARE(penalized,
             (std::vector<std::string>{"both/forward_lstm/lstm_cell/kernel",
                                       "both/backward_lstm/lstm_cell/bias", "last/gru_cell/kernel",
                                       "last/gru_cell/recurrent_kernel"}));
    QCOMPARE(constrained, (std::vector<std::string>{"out/kernel"}));
}

/// An initializer of one's own also replaces the open forget gate; a penalty replaces nothing.
void TstCustomWeights::keepTheDefaultsOfKeras()
{
    const std::string lstm = "layer { name: 'cell' lstm { units: 2 } ";
    const std::string end = " } layer { dense { units: 3 } }";
    const auto own = lowerNetwork(kSteps + lstm + weightsOf("bias", "initializer { ones {} }") +
                                  weightsOf("recurrent_kernel", "regularizer { l1_l2 {} }") + end);
    const auto usual = lowerNetwork(kSteps + lstm + end);
    VERIFY_OK(own);
    VERIFY_OK(usual);
    QVERIFY(variableOf(*own, "cell/lstm_cell/bias").initializer.has_ones());
    QVERIFY(variableOf(*own, "cell/lstm_cell/bias").pattern == graph::InitialPattern::None);
    QVERIFY(variableOf(*own, "cell/lstm_cell/recurrent_kernel").initializer.has_orthogonal());
    QVERIFY(variableOf(*usual, "cell/lstm_cell/bias").pattern ==
            graph::InitialPattern::ForgetGateOpen);
}

/// Readers read what comes behind it, under the name of the layer.
void TstCustomWeights::penaltiesOfOutputsAreNodesOfTheirOwn()
{
    const auto model =
        lowerNetwork("layer { name: 'in' input_layer {} activity_regularizer { l1: 1 } }"
                     "layer { name: 'out' dense { units: 3 } activity_regularizer { l2: 1 } }");
    VERIFY_OK(model);
    std::vector<std::string> nodes;
    for (const graph::Node& node : model->graph.nodes) {
        nodes.push_back(node.name);
    }
    QCOMPARE(nodes, (std::vector<std::string>{"in", "in/values", "in/activity_penalty", "out",
                                              "out/activity_penalty"}));
    QCOMPARE(model->graph.logits, model->graph.nodes.back().output);
    QCOMPARE(model->graph.value(model->graph.logits).name, std::string("out"));
}

void TstCustomWeights::sayWhatDoesNotFit_data()
{
    addColumnsOfBadNetworks();
    const std::string conv = "conv_2d { filters: 4 kernel_size: [3, 2] padding: same }";
    const std::string small = "conv_2d { filters: 4 kernel_size: 1 }";
    const std::string norm = "batch_normalization {}";
    const auto bad = [](const char* name, const std::string& layer, const std::string& weights,
                        const char* id) { badNetwork(name, weighed(layer, weights), id, 2); };
    const auto kernel = [](const std::string& what) { return weightsOf("kernel", what); };
    bad("no such weight", conv, weightsOf("gamma", ""), "layers.unknown_weight");
    bad("part of a name", conv, weightsOf("ernel", ""), "layers.unknown_weight");
    bad("no name", conv, weightsOf("", ""), "layers.unknown_weight");
    bad("a layer without weights", "flatten {}", kernel(""), "layers.unknown_weight");
    bad("a weight twice", conv, kernel("") + kernel(""), "layers.weight_twice");
    bad("a penalty of what is measured", norm, weightsOf("moving_mean", "regularizer { l1_l2 {} }"),
        "layers.measured_weight");
    bad("an initializer for a matrix", conv, kernel("initializer { identity {} }"),
        "graph.bad_initializer");
    bad("an initializer for several dimensions", conv,
        weightsOf("bias", "initializer { orthogonal {} }"), "graph.bad_initializer");
    bad("a scale of nothing", conv, kernel("initializer { variance_scaling { scale: 0 } }"),
        "graph.bad_initializer");
    bad("no initializer", conv, kernel("initializer {}"), "graph.bad_initializer");
    bad("no regularizer", conv, kernel("regularizer {}"), "graph.bad_regularizer");
    bad("a penalty below 0", conv, kernel("regularizer { l1_l2 { l1: -1 } }"),
        "graph.bad_regularizer");
    bad("angles of a picture", conv, kernel("regularizer { orthogonal {} }"),
        "graph.bad_regularizer");
    bad("angles of one row", "dense { units: 1 }",
        kernel("regularizer { orthogonal { mode: columns } }"), "graph.bad_regularizer");
    bad("no constraint", conv, kernel("constraint {}"), "graph.bad_constraint");
    bad("a fifth dimension", conv, kernel("constraint { max_norm { axis: [0, 4] } }"),
        "graph.bad_constraint");
    bad("a dimension twice", conv, kernel("constraint { unit_norm { axis: [1, 1] } }"),
        "graph.bad_constraint");
    bad("an empty range", conv, kernel("constraint { min_max_norm { min_value: 2 max_value: 1 } }"),
        "graph.bad_constraint");
    bad("rings of an oblong", conv, kernel("constraint { radial {} }"), "graph.bad_constraint");
    bad("rings of a cell", small, kernel("constraint { radial {} }"), "graph.bad_constraint");
    badNetwork("one of two directions",
               kSteps + "layer { bidirectional { gru { units: 2 } } " + kernel("") +
                   " } layer { dense { units: 3 } }",
               "layers.ambiguous_weight", 2);
    badNetwork("a penalty of steps",
               "layer { sequence_input {} } layer { gru { units: 2 return_sequences: true } "
               "activity_regularizer { l1: 1 } } layer { gru { units: 3 } }",
               "layers.input_kind", 1);
}

void TstCustomWeights::listTheWeightsOfALayer()
{
    const auto model =
        lowerNetwork(weighed("batch_normalization { center: false }", weightsOf("beta", "")));
    VERIFY_ERROR(model, "layers.unknown_weight");
    QCOMPARE(model.error().message(),
             std::string("The layer 'one' has no weight 'beta': it has gamma, moving_mean, "
                         "moving_variance."));
    const auto ambiguous =
        lowerNetwork(kSteps + "layer { name: 'two' bidirectional { gru { units: 2 } } " +
                     weightsOf("kernel", "") + " } layer { dense { units: 3 } }");
    VERIFY_ERROR(ambiguous, "layers.ambiguous_weight");
    QCOMPARE(ambiguous.error().message(),
             std::string("Several weights of the layer 'two' are called 'kernel': say which one, "
                         "of forward_gru/gru_cell/kernel, backward_gru/gru_cell/kernel."));
}

CANNERY_TEST(TstCustomWeights)
#include "tst_custom_weights.moc"
