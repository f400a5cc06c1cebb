// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

const std::string kNetworkLayer = "estimator.custom_estimator.graph.layer";

std::vector<SchemaReading> ofNetworkImages()
{
    const char* const experiment = "network.cannery";
    const std::string conv = kNetworkLayer + "[conv].conv_2d";
    const std::string channels = kNetworkLayer + "[channels].depthwise_conv_2d";
    return {
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
        {experiment, {}, kNetworkLayer + "[largest].max_pooling_2d.pool_size=[3, 3]"},
        {experiment, {}, kNetworkLayer + "[largest].max_pooling_2d.strides=[2, 2]"},
        {experiment, {}, kNetworkLayer + "[largest].max_pooling_2d.padding=valid"},
        {experiment, {}, kNetworkLayer + "[mean].average_pooling_2d.pool_size=[3, 3]"},
        {experiment, {}, kNetworkLayer + "[mean].average_pooling_2d.strides=[2, 2]"},
        {experiment, {}, kNetworkLayer + "[mean].average_pooling_2d.padding=valid"},
        {experiment,
         {},
         kNetworkLayer + "[each].global_average_pooling_2d.keepdims=true",
         "layers.concatenate_shapes"},
        {experiment,
         {kNetworkLayer + "[flat]={ name: \"flat\" inputs: \"top\" global_average_pooling_2d {} }"},
         kNetworkLayer + "[top].global_max_pooling_2d.keepdims=false",
         "layers.not_an_image"},
    };
}

std::vector<SchemaReading> ofNetworkLayers()
{
    const char* const experiment = "network.cannery";
    const std::string network = "estimator.custom_estimator";
    const std::string& layer = kNetworkLayer;
    const std::string conv = layer + "[conv].conv_2d";
    const std::string wideInitializer = layer + "[wide].weights[0].initializer";
    const std::string wideKernel = layer + "[wide].weights=[{ name: \"kernel\" }]";
    const char* const steps = "steps.cannery";
    return {
        {steps,
         {layer + "[steps].sequence_input={}"},
         network + ".sequence_feature_columns=[\"sfi\"]"},
        {steps, {}, layer + "[steps].sequence_input.feature_columns=[\"sfi\"]"},
        // What reads one row for each step refuses a row alone, and the other way round.
        {steps, {}, layer + "[simple].simple_rnn.return_sequences=false", "layers.recurrent_rows"},
        {steps, {}, layer + "[reset].gru.return_sequences=false", "layers.recurrent_rows"},
        {steps, {}, layer + "[kept].lstm.return_sequences=true", "layers.input_kind"},
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
        {experiment, {}, layer + "[wide].trainable=false"},
        {experiment, {}, layer + "[wide].dense.use_bias=false"},
        {experiment, {wideKernel}, wideInitializer + ".he_normal={}"},
        {experiment,
         {wideKernel, wideInitializer + ".he_normal={}"},
         wideInitializer + ".he_normal.seed=7"},
        {experiment, {wideKernel}, wideInitializer + ".he_uniform={}"},
        {experiment,
         {wideKernel, wideInitializer + ".he_uniform={}"},
         wideInitializer + ".he_uniform.seed=7"},
        {experiment, {wideKernel}, wideInitializer + ".lecun_normal={}"},
        {experiment,
         {wideKernel, wideInitializer + ".lecun_normal={}"},
         wideInitializer + ".lecun_normal.seed=7"},
        {experiment, {wideKernel}, wideInitializer + ".lecun_uniform={}"},
        {experiment,
         {wideKernel, wideInitializer + ".lecun_uniform={}"},
         wideInitializer + ".lecun_uniform.seed=7"},
        {experiment, {}, layer + "[wide].dense.activation=relu"},
        {experiment, {}, layer + "[gelu].activation.function=tanh"},
    };
}

std::vector<SchemaReading> ofBlocks()
{
    const char* const experiment = "blocks.cannery";
    const std::string tower = kNetworkLayer + "[tower].block";
    return {
        {experiment, {}, kNetworkLayer + "[again].shares_weights_with=other"},
        {experiment, {}, tower + ".repeat=3"},
        {experiment, {}, tower + ".layer=[{ dense { units: 8 } }]"},
        {experiment, {}, tower + ".layer[sum].inputs=[\"input\", \"input\", \"up\"]"},
        {experiment, {}, kNetworkLayer + "[tower].trainable=false"},
    };
}

std::vector<SchemaReading> ofNetworkWeights()
{
    const char* const experiment = "weights.cannery";
    const std::string kernel = kNetworkLayer + "[wide].weights[kernel]";
    const std::string bias = kNetworkLayer + "[wide].weights[bias]";
    const std::string conv = kNetworkLayer + "[conv].weights[kernel]";
    const std::string square = kNetworkLayer + "[square].weights[kernel]";
    return {
        {experiment, {}, kNetworkLayer + "[wide].weights=[]"},
        {experiment,
         {},
         kNetworkLayer + "[conv].weights[bias].name=offset",
         "layers.unknown_weight"},
        {experiment, {}, kernel + ".initializer.zeros={}"},
        {experiment, {}, kernel + ".initializer.orthogonal={}"},
        {experiment, {}, kernel + ".initializer.identity={}"},
        {experiment, {}, square + ".initializer.variance_scaling={}"},
        {experiment, {}, kernel + ".regularizer.orthogonal={}"},
        {experiment, {}, square + ".regularizer.l1_l2={ l2: 0.5 }"},
        {experiment, {}, kernel + ".constraint.min_max_norm={}"},
        {experiment,
         {bias + ".initializer.constant.value=[0.001]"},
         bias + ".constraint.min_max_norm.min_value=0.3"},
        {experiment,
         {conv + ".constraint={ min_max_norm { max_value: 0.2 } }"},
         conv + ".constraint.min_max_norm.axis=[0, 1, 2]"},
        {experiment, {}, kernel + ".constraint.unit_norm={}"},
        {experiment, {}, conv + ".constraint.non_negative={}"},
        {experiment, {conv + ".constraint.non_negative={}"}, conv + ".constraint.radial={}"},
        {experiment, {}, square + ".constraint.max_norm={ max_value: 0.1 }"},
        {experiment, {}, kNetworkLayer + "[square].activity_regularizer={ l1: 0.5 }"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfNetworks()
{
    return joined({ofNetworkLayers(), ofBlocks(), ofNetworkImages(), ofNetworkWeights()});
}

} // namespace cannery::tests
