// SPDX-License-Identifier: Apache-2.0
#include "tests/core/estimators/network_lowering.h"
#include "tests/support/result_compare.h"
#include "tests/support/test_main.h"

#include <QTest>

using namespace cannery;
using namespace cannery::tests;

/// Networks with blocks and shared weights, lowered.
class TstCustomBlocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void givesEachRepetitionVariablesOfItsOwn();
    void sharesVariablesBetweenLayers();
    void freezesBlocks();
    void saysWhereALayerOfABlockDoesNotFit();
    void refusesWeightsThatDoNotFit_data();
    void refusesWeightsThatDoNotFit() { refuseBadNetwork(); }
    void namesBothShapes();
};

void TstCustomBlocks::givesEachRepetitionVariablesOfItsOwn()
{
    const auto model =
        lowerNetwork("layer { input_layer {} } layer { name: 'same' block { repeat: 2"
                     " layer { dense { units: 16 } }"
                     " layer { inputs: ['dense', 'input'] add {} } } }"
                     "layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{"same/1/dense/kernel [16, 16]", "same/1/dense/bias [16]",
                                       "same/2/dense/kernel [16, 16]", "same/2/dense/bias [16]",
                                       "dense/kernel [16, 3]", "dense/bias [3]"}));
}

void TstCustomBlocks::sharesVariablesBetweenLayers()
{
    const auto model =
        lowerNetwork(kSteps + "layer { name: 'a' lstm { units: 2 return_sequences: true } }"
                              "layer { name: 'b' shares_weights_with: 'a' lstm { units: 2 } }"
                              "layer { dense { units: 3 } }");
    VERIFY_OK(model);
    QCOMPARE(variablesOf(*model),
             (std::vector<std::string>{
                 "a/lstm_cell/kernel [2, 8]", "a/lstm_cell/recurrent_kernel [2, 8]",
                 "a/lstm_cell/bias [8]", "dense/kernel [2, 3]", "dense/bias [3]"}));
}

void TstCustomBlocks::freezesBlocks()
{
    const auto model =
        lowerNetwork("layer { input_layer {} } layer { trainable: false block {"
                     " layer { dense { units: 16 } } } } layer { dense { units: 3 } }");
    VERIFY_OK(model);
    for (const graph::Variable& variable : model->graph.variables) {
        QCOMPARE(variable.trainable, variable.name.starts_with("dense/"));
    }
}

void TstCustomBlocks::saysWhereALayerOfABlockDoesNotFit()
{
    const auto model = lowerNetwork("layer { input_layer {} } layer { block { layer { flatten {} }"
                                    " layer { reshape { target_shape: 5 } } } }");
    QVERIFY(!model);
    QCOMPARE(model.error().path,
             std::string("estimator.custom_estimator.graph.layer[1].block.layer[1]"));
    const auto empty = lowerNetwork("layer { input_layer {} } layer { block {} }");
    QVERIFY(!empty);
    QCOMPARE(empty.error().path,
             std::string("estimator.custom_estimator.graph.layer[1].block.layer"));
}

void TstCustomBlocks::refusesWeightsThatDoNotFit_data()
{
    addColumnsOfBadNetworks();
    const std::string first = "layer { input_layer {} } layer { name: 'a' dense { units: 4 } }";
    badNetwork("shapes", first + "layer { shares_weights_with: 'a' dense { units: 4 } }",
               "graph.variable_shape", 2);
    badNetwork("weights",
               "layer { input_layer {} } layer { name: 'a' dense { units: 16 } }"
               "layer { shares_weights_with: 'a' dense { units: 16 use_bias: false } }",
               "graph.other_variables", 2);
    badNetwork("as many, but others",
               "layer { input_layer {} } layer { name: 'a' batch_normalization { center: false } }"
               "layer { shares_weights_with: 'a' batch_normalization { scale: false } }",
               "graph.other_variables", 2);
    badNetwork("no weights",
               "layer { input_layer {} } layer { name: 'a' flatten {} }"
               "layer { shares_weights_with: 'a' flatten {} }",
               "graph.no_variables", 2);
}

void TstCustomBlocks::namesBothShapes()
{
    const auto model =
        lowerNetwork("layer { input_layer {} } layer { name: 'a' dense { units: 4 } }"
                     "layer { shares_weights_with: 'a' dense { units: 4 } }");
    QVERIFY(!model);
    const std::string& message = model.error().message();
    QVERIFY2(message.find("[4, 4]") != std::string::npos, message.c_str());
    QVERIFY2(message.find("[16, 4]") != std::string::npos, message.c_str());
}

CANNERY_TEST(TstCustomBlocks)
#include "tst_custom_blocks.moc"
