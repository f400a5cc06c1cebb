// SPDX-License-Identifier: Apache-2.0
#include "core/heads/head_catalog.h"
#include "tests/core/estimators/network_lowering.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <algorithm>

using namespace cannery;
using namespace cannery::tests;

/// Outputs of networks of one's own: which layers the heads read, and whose the last activation is.
class TstNetworkOutputs : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void outputsStandSideBySideInTheOrderOfTheHeads();
    void anOutputMayStandAnywhere();
    void aLossTakesTheValuesBehindAnActivation_data();
    void aLossTakesTheValuesBehindAnActivation();
    void aTakenActivationStaysForOtherReaders();
    void badOutputsAreRefused_data();
    void badOutputsAreRefused();
};

namespace {

const std::string kTwoHeads = "multi_head { heads { regression_head { name: 'amount' } }"
                              "heads { multi_class_head { name: 'kind' n_classes: 3 } } }";
const std::string kTwoBranches = "layer { name: 'in' input_layer {} }"
                                 "layer { name: 'kind' dense { units: 3 } }"
                                 "layer { name: 'deep' inputs: 'in' dense { units: 4 } }"
                                 "layer { name: 'amount' dense { units: 1 } }";

std::vector<std::string> nodesOf(const graph::LoweredModel& model)
{
    std::vector<std::string> names;
    for (const graph::Node& node : model.graph.nodes) {
        names.push_back(node.name);
    }
    return names;
}

graph::ValueId valueOf(const graph::LoweredModel& model, const std::string& name)
{
    return std::ranges::find(model.graph.nodes, name, &graph::Node::name)->output;
}

bool hasNode(const graph::LoweredModel& model, const std::string& name)
{
    const std::vector<std::string> names = nodesOf(model);
    return std::ranges::find(names, name) != names.end();
}

} // namespace

void TstNetworkOutputs::outputsStandSideBySideInTheOrderOfTheHeads()
{
    const auto model = lowerNetwork(kTwoBranches + "outputs: ['amount', 'kind']", kTwoHeads);
    VERIFY_OK(model);
    const graph::Node& last = model->graph.nodes.back();
    QCOMPARE(last.name, std::string("logits"));
    QCOMPARE(last.inputs,
             (std::vector<graph::ValueId>{valueOf(*model, "amount"), valueOf(*model, "kind")}));
    QCOMPARE(model->graph.value(model->graph.logits).width, std::int64_t{4});
}

void TstNetworkOutputs::anOutputMayStandAnywhere()
{
    const auto model = lowerNetwork("layer { name: 'in' input_layer {} }"
                                    "layer { name: 'top' inputs: 'deep' dense { units: 3 } }"
                                    "layer { name: 'deep' inputs: 'in' dense { units: 4 } }"
                                    "outputs: 'top'");
    VERIFY_OK(model);
    QCOMPARE(model->graph.logits, valueOf(*model, "top"));
}

void TstNetworkOutputs::aLossTakesTheValuesBehindAnActivation_data()
{
    QTest::addColumn<QString>("last");
    QTest::addColumn<QString>("head");
    QTest::addColumn<bool>("isTaken");
    const char* const binary = "loss_head { loss { binary_crossentropy {} } n_classes: 2 }";
    const char* const sparse =
        "loss_head { loss { sparse_categorical_crossentropy {} } n_classes: 3 }";
    const char* const squares = "loss_head { loss { mean_squared_error {} } }";
    QTest::newRow("sigmoid of a dense layer")
        << "layer { dense { units: 1 activation: sigmoid } }" << binary << true;
    QTest::newRow("sigmoid as a layer")
        << "layer { dense { units: 1 } } layer { activation { function: sigmoid } }" << binary
        << true;
    QTest::newRow("softmax") << "layer { dense { units: 3 } } layer { softmax {} }" << sparse
                             << true;
    QTest::newRow("no activation") << "layer { dense { units: 3 } }" << sparse << false;
    QTest::newRow("another activation")
        << "layer { dense { units: 1 activation: hard_sigmoid } }" << binary << false;
    QTest::newRow("a loss that is no cross entropy")
        << "layer { dense { units: 1 activation: sigmoid } }" << squares << false;
    QTest::newRow("a head of TensorFlow") << "layer { dense { units: 1 activation: sigmoid } }"
                                          << "binary_class_head {}" << false;
}

void TstNetworkOutputs::aLossTakesTheValuesBehindAnActivation()
{
    QFETCH(QString, last);
    QFETCH(QString, head);
    QFETCH(bool, isTaken);
    const auto model =
        lowerNetwork("layer { input_layer {} } " + last.toStdString(), head.toStdString());
    VERIFY_OK(model);
    QCOMPARE(static_cast<bool>(model->makeHead), isTaken);
    QVERIFY(heads::makeHead(*model).has_value());
    QVERIFY(!hasNode(*model, isTaken ? "softmax" : "dense/activation"));
    QCOMPARE(valueOf(*model, "dense") == model->graph.logits, isTaken || last.count("layer") == 1);
}

void TstNetworkOutputs::aTakenActivationStaysForOtherReaders()
{
    const auto model =
        lowerNetwork("layer { name: 'in' input_layer {} }"
                     "layer { name: 'chance' dense { units: 1 activation: sigmoid } }"
                     "layer { name: 'amount' dense { units: 1 } }"
                     "outputs: ['chance', 'amount', 'chance']",
                     "multi_head { heads { loss_head { name: 'a' loss { binary_crossentropy {} } "
                     "n_classes: 2 } }"
                     "heads { loss_head { name: 'b' loss { huber {} } } }"
                     "heads { loss_head { name: 'c' loss { mean_absolute_error {} } } } }");
    VERIFY_OK(model);
    QVERIFY(hasNode(*model, "chance/activation"));
    QCOMPARE(model->graph.nodes.back().inputs,
             (std::vector<graph::ValueId>{valueOf(*model, "chance"), valueOf(*model, "amount"),
                                          valueOf(*model, "chance/activation")}));
}

void TstNetworkOutputs::badOutputsAreRefused_data()
{
    QTest::addColumn<QString>("outputs");
    QTest::addColumn<QString>("id");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("unknown") << "['amount', 'kinds']"
                             << "spec.unknown_layer"
                             << "There is no layer 'kinds'. Did you mean 'kind'?";
    QTest::newRow("one for two heads")
        << "'amount'"
        << "spec.output_count"
        << "The network has 1 output and the estimator 2 heads: name one layer for each head, in "
           "their order.";
    QTest::newRow("another order")
        << "['kind', 'amount']"
        << "estimators.logits_width"
        << "The output, 'kind', gives rows of shape [3], but the head needs 1 logits: let the "
           "network end with dense { units: 1 }.";
}

void TstNetworkOutputs::badOutputsAreRefused()
{
    QFETCH(QString, outputs);
    QFETCH(QString, id);
    QFETCH(QString, sentence);
    const auto model = lowerNetwork(kTwoBranches + "outputs: " + outputs.toStdString(), kTwoHeads);
    QVERIFY(!model.has_value());
    QCOMPARE(QString::fromStdString(model.error().id), id);
    QCOMPARE(QString::fromStdString(model.error().sentence), sentence);
}

CANNERY_TEST(TstNetworkOutputs)
#include "tst_network_outputs.moc"
