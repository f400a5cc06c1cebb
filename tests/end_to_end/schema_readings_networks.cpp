// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

std::vector<SchemaReading> readingsOfNetworks()
{
    const char* const experiment = "network.cannery";
    const std::string network = "estimator.custom_estimator";
    const std::string layer = network + ".graph.layer";
    const std::string conv = layer + "[conv].conv_2d";
    const std::string channels = layer + "[channels].depthwise_conv_2d";
    const char* const steps = "network_steps.cannery";
    return {
        {steps,
         {layer + "[steps].sequence_input={}"},
         network + ".sequence_feature_columns=[\"sfi\"]"},
        {steps, {}, layer + "[steps].sequence_input.feature_columns=[\"sfi\"]"},
        {experiment, {layer + "[in].input_layer={}"}, network + ".feature_columns=[\"x\"]"},
        {experiment, {}, layer + "[in].input_layer.feature_columns=[\"x\"]"},
        {experiment, {}, layer + "[wide].name=broad"},
        {experiment, {}, layer + "[sum].inputs=[\"product\", \"product\"]"},
        {experiment, {}, layer + "[product].add={}"},
        {experiment, {}, layer + "[sum].multiply={}"},
        {experiment, {}, layer + "[sum].concatenate={}"},
        {experiment, {}, layer + "[each].flatten={}"},
        {experiment, {}, layer + "[each].global_max_pooling_2d={}"},
        {experiment,
         {layer + "[image].reshape.target_shape=[4, 4, -1]", conv + ".groups=1"},
         layer + "[wide].dense.units=48"},
        {experiment,
         {layer + "[image].reshape={ target_shape: [2, 8, 2] }"},
         layer + "[image].reshape.target_shape=[8, 2, 2]"},
        {experiment, {}, layer + "[wide].dense.use_bias=false"},
        {experiment, {}, layer + "[wide].dense.activation=relu"},
        {experiment, {}, layer + "[gelu].activation.function=tanh"},
        {experiment, {}, conv + ".kernel_size=[3, 2]"},
        {experiment, {}, conv + ".strides=[2, 2]"},
        {experiment, {}, conv + ".padding=valid"},
        {experiment, {}, conv + ".dilation_rate=[2, 1]"},
        {experiment, {}, conv + ".groups=1"},
        {experiment, {}, conv + ".use_bias=false"},
        {experiment, {}, conv + ".activation=relu"},
        {experiment, {}, channels + ".kernel_size=[1, 2]"},
        {experiment, {}, channels + ".stride=2", "layers.merged_shapes"},
        {experiment, {}, channels + ".padding=valid", "layers.merged_shapes"},
        {experiment, {}, channels + ".depth_multiplier=2", "layers.merged_shapes"},
        {experiment, {}, channels + ".dilation_rate=[2, 2]"},
        {experiment, {}, channels + ".use_bias=false"},
        {experiment, {}, channels + ".activation=relu"},
        {experiment, {}, layer + "[largest].max_pooling_2d.pool_size=[3, 3]"},
        {experiment, {}, layer + "[largest].max_pooling_2d.strides=[2, 2]"},
        {experiment, {}, layer + "[largest].max_pooling_2d.padding=valid"},
        {experiment, {}, layer + "[mean].average_pooling_2d.pool_size=[3, 3]"},
        {experiment, {}, layer + "[mean].average_pooling_2d.strides=[2, 2]"},
        {experiment, {}, layer + "[mean].average_pooling_2d.padding=valid"},
        {experiment,
         {},
         layer + "[each].global_average_pooling_2d.keepdims=true",
         "layers.concatenate_shapes"},
        {experiment,
         {layer + "[flat]={ name: \"flat\" inputs: \"top\" global_average_pooling_2d {} }"},
         layer + "[top].global_max_pooling_2d.keepdims=false",
         "layers.not_an_image"},
    };
}

} // namespace cannery::tests
