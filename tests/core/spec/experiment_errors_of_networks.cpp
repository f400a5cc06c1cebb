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

const std::string kLayer = "estimator.custom_estimator.graph.layer";

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
}

} // namespace cannery::tests
