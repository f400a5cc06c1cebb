// SPDX-License-Identifier: Apache-2.0
#include "tests/end_to_end/schema_readings_parts.h"

namespace cannery::tests {

namespace {

const std::string kLayer = "estimator.custom_estimator.graph.layer";

std::vector<SchemaReading> readingsOfStepConvolutions()
{
    const char* const experiment = "sequences.cannery";
    const std::string causal = kLayer + "[causal].conv_1d";
    const std::string each = kLayer + "[each].depthwise_conv_1d";
    const std::string mixed = kLayer + "[mixed].separable_conv_1d";
    const std::string longer = kLayer + "[longer].conv_1d_transpose";
    return {
        {experiment, {}, causal + ".filters=6"},
        {experiment, {}, causal + ".kernel_size=2"},
        {experiment, {}, causal + ".stride=2"},
        {experiment, {}, causal + ".padding=same"},
        {experiment, {}, causal + ".dilation_rate=2"},
        {experiment, {}, causal + ".groups=1"},
        {experiment, {}, causal + ".activation=relu"},
        {experiment, {}, causal + ".use_bias=false"},
        {experiment, {}, each + ".kernel_size=3"},
        {experiment, {}, each + ".stride=2"},
        {experiment, {}, each + ".padding=valid"},
        {experiment, {}, each + ".depth_multiplier=2"},
        {experiment, {}, each + ".dilation_rate=2"},
        {experiment, {}, each + ".activation=tanh"},
        {experiment, {}, each + ".use_bias=false"},
        {experiment, {}, mixed + ".filters=5"},
        {experiment, {}, mixed + ".kernel_size=3"},
        {experiment, {}, mixed + ".stride=2"},
        {experiment, {}, mixed + ".padding=causal"},
        {experiment, {}, mixed + ".depth_multiplier=1"},
        {experiment, {}, mixed + ".dilation_rate=2"},
        {experiment, {}, mixed + ".activation=relu"},
        {experiment, {}, mixed + ".use_bias=false"},
        {experiment, {}, longer + ".filters=4"},
        {experiment, {}, longer + ".kernel_size=4"},
        {experiment, {}, longer + ".stride=3"},
        {experiment, {}, longer + ".padding=same"},
        {experiment, {}, longer + ".output_padding=0"},
        {experiment, {}, longer + ".output_padding=2", "layers.output_padding"},
        {experiment, {}, longer + ".activation=relu"},
        {experiment, {}, longer + ".use_bias=false"},
    };
}

std::vector<SchemaReading> readingsOfOtherSteps()
{
    const char* const experiment = "sequences.cannery";
    const std::string most = kLayer + "[most].max_pooling_1d";
    const std::string mean = kLayer + "[mean].average_pooling_1d";
    return {
        {experiment, {}, kLayer + "[around].zero_padding_1d.padding=[3]"},
        {experiment, {}, kLayer + "[inside].cropping_1d.cropping=[1]"},
        {experiment, {}, kLayer + "[slow].up_sampling_1d.size=3"},
        {experiment, {}, most + ".pool_size=3"},
        {experiment, {}, most + ".stride=3"},
        {experiment, {most + ".pool_size=5"}, most + ".padding=valid"},
        {experiment, {}, mean + ".pool_size=2"},
        {experiment, {}, mean + ".stride=1"},
        {experiment, {}, mean + ".padding=same"},
        {experiment, {}, kLayer + "[turned].permute.dims=[1, 2]"},
        {experiment,
         {kLayer + "[flat]={ name: \"flat\" global_average_pooling_1d {} }"},
         kLayer + "[top].global_max_pooling_1d.keepdims=false",
         "layers.not_a_sequence"},
        {experiment,
         {kLayer + "[all]={ name: \"all\" flatten {} }"},
         kLayer + "[again].repeat_vector.n=4"},
        {experiment,
         {},
         kLayer + "[all].global_average_pooling_1d.keepdims=true",
         "estimators.logits_width"},
    };
}

std::vector<SchemaReading> readingsOfPixelLayers()
{
    const char* const experiment = "images.cannery";
    const std::string mixed = kLayer + "[mixed].separable_conv_2d";
    const std::string larger = kLayer + "[larger].conv_2d_transpose";
    const std::string twice = kLayer + "[twice].up_sampling_2d";
    return {
        {experiment, {}, mixed + ".filters=4"},
        {experiment, {}, mixed + ".kernel_size=[3, 2]"},
        {experiment, {}, mixed + ".stride=2"},
        {experiment, {}, mixed + ".padding=valid"},
        {experiment, {}, mixed + ".depth_multiplier=2"},
        {experiment, {}, mixed + ".dilation_rate=[2, 2]"},
        {experiment, {}, mixed + ".activation=relu"},
        {experiment, {}, mixed + ".use_bias=false"},
        {experiment, {}, larger + ".filters=3"},
        {experiment, {}, larger + ".kernel_size=[2, 2]"},
        {experiment, {}, larger + ".strides=[3, 3]"},
        {experiment, {}, larger + ".padding=same"},
        {experiment, {}, larger + ".output_padding=[0, 1]"},
        {experiment,
         {larger + ".strides=[1, 1]", larger + ".output_padding=[0, 0]"},
         larger + ".dilation_rate=[2, 2]"},
        {experiment, {}, larger + ".activation=relu"},
        {experiment, {}, larger + ".use_bias=false"},
        {experiment, {}, kLayer + "[around].zero_padding_2d.padding=[2]"},
        {experiment, {}, kLayer + "[inside].cropping_2d.cropping=[1]"},
        {experiment, {}, twice + ".size=[2, 2]"},
        {experiment, {}, twice + ".interpolation=nearest"},
        {experiment, {}, twice + ".interpolation=bicubic"},
    };
}

} // namespace

std::vector<SchemaReading> readingsOfWindows()
{
    return joined({readingsOfStepConvolutions(), readingsOfOtherSteps(), readingsOfPixelLayers()});
}

} // namespace cannery::tests
