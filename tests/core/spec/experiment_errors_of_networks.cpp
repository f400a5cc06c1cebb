// SPDX-License-Identifier: Apache-2.0
#include "tests/core/spec/experiment_error_cases.h"

namespace cannery::tests {

namespace {

/// Layers of a custom_estimator in lines of their own, from line 9 on.
void addNetwork(const char* name, const std::string& layers, const std::string& expected)
{
    addEstimator(name,
                 "estimator {\n custom_estimator { head { regression_head {} } feature_columns: "
                 "\"age\"\n  graph {\n" +
                     layers + "\n } } }",
                 expected);
}

/// A network with this head, all in line 6.
void addHeadOfNetwork(const char* name, const std::string& head, const std::string& expected)
{
    addEstimator(name,
                 "estimator { custom_estimator { head { " + head +
                     " } feature_columns: \"age\" graph { layer { input_layer {} } "
                     "layer { dense { units: 3 } } } } }",
                 expected);
}

const std::string kLayer = "estimator.custom_estimator.graph.layer";

void addErrorsOfLossHeads()
{
    const std::string head = "estimator.custom_estimator.head.loss_head";
    addNetwork("output of no layer",
               "layer { input_layer {} }\nlayer { name: \"kind\" dense { units: 1 } }\n"
               "outputs: \"kinds\"",
               "11:10 spec.unknown_layer [estimator.custom_estimator.graph.outputs[0]]\n");
    addNetwork("two outputs of one head",
               "layer { input_layer {} }\nlayer { name: \"a\" dense { units: 1 } }\n"
               "layer { name: \"b\" dense { units: 1 } }\noutputs: [\"a\", \"b\"]",
               "12:1 spec.output_count [estimator.custom_estimator.graph.outputs]\n");
    addEstimator(
        "loss head without a network",
        "estimator { linear_estimator { feature_columns: \"age\" head { loss_head { loss { "
        "huber {} } } } } }",
        "6:62 spec.loss_head_network [estimator.linear_estimator.head.loss_head]\n");
    addHeadOfNetwork(
        "class ids without classes", "loss_head { loss { sparse_categorical_crossentropy {} } }",
        "6:58 spec.loss_classes [" + head + ".loss.sparse_categorical_crossentropy]\n");
    addHeadOfNetwork("another class to ignore",
                     "loss_head { n_classes: 3 loss { sparse_categorical_crossentropy { "
                     "ignore_class: 3 } } }",
                     "6:119 spec.ignored_class [" + head +
                         ".loss.sparse_categorical_crossentropy.ignore_class]\n");
    addHeadOfNetwork("loss head", "loss_head { n_classes: 3 loss { kl_divergence {} } }", "");
}

} // namespace

void addErrorsOfNetworks()
{
    addNetwork("network", "layer { input_layer {} }\nlayer { dense { units: 1 } }", "");
    addNetwork("layer name taken",
               "layer { name: \"a\" input_layer {} }\nlayer { name: \"a\" dense { units: 1 } }",
               "10:1 spec.layer_name_taken [" + kLayer + "[1]]\n");
    addNetwork("layer without a kind", "layer { input_layer {} }\nlayer { name: \"a\" }",
               "10:1 spec.member_required [" + kLayer + "[a]]\n");
    addNetwork("unknown layer",
               "layer { name: \"in\" input_layer {} }\n"
               "layer { inputs: \"on\" dense { units: 1 } }",
               "10:17 spec.unknown_layer [" + kLayer + "[1].inputs[0]]\n");
    addNetwork("first layer reads nothing", "layer { dense { units: 1 } }",
               "9:1 spec.layer_without_input [" + kLayer + "[0]]\n");
    addNetwork("layers in a circle",
               "layer { name: \"in\" input_layer {} }\n"
               "layer { name: \"a\" inputs: [\"in\", \"c\"] add {} }\n"
               "layer { name: \"b\" dense { units: 1 } }\n"
               "layer { name: \"c\" dense { units: 1 } }",
               "10:1 spec.layer_cycle [" + kLayer + "[a]]\n");
    addNetwork("layer that nobody reads",
               "layer { name: \"in\" input_layer {} }\n"
               "layer { name: \"a\" dense { units: 4 } }\n"
               "layer { name: \"b\" inputs: \"in\" dense { units: 1 } }",
               "10:1 spec.unused_layer [" + kLayer + "[a]]\n");
    addNetwork("column that is not the network's",
               "layer { input_layer { feature_columns: \"sex\" } }\nlayer { dense { units: 1 } }",
               "~7:66 spec.column_unread [estimator.custom_estimator.feature_columns[0]]\n"
               "9:40 spec.column_not_of_network [" +
                   kLayer + "[0].input_layer.feature_columns[0]]\n");
    addNetwork("inputs of an input layer",
               "layer { name: \"in\" input_layer {} }\n"
               "layer { name: \"b\" inputs: \"in\" input_layer {} }\n"
               "layer { inputs: [\"in\", \"b\"] concatenate {} }\nlayer { dense { units: 1 } }",
               "10:27 spec.inputs_of_input_layer [" + kLayer + "[b].inputs]\n");
    addNetwork("strides and dilation",
               "layer { input_layer {} }\n"
               "layer { name: \"c\" conv_2d { filters: 1 kernel_size: 3 strides: 2 "
               "dilation_rate: 2 } }\nlayer { flatten {} }",
               "10:81 spec.strides_and_dilation [" + kLayer + "[c].conv_2d.dilation_rate]\n");
    addNetwork("no filters",
               "layer { input_layer {} }\nlayer { name: \"c\" conv_2d { kernel_size: 3 } }",
               "10:19 spec.required [" + kLayer + "[c].conv_2d.filters]\n");
    addErrorsOfLossHeads();
}

} // namespace cannery::tests
