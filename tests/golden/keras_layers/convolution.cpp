// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

bool ofConv2d(const Json& config, spec::Layer& layer)
{
    spec::Conv2dLayer& message = *layer.mutable_conv_2d();
    const auto function = functionOf(config);
    message.set_filters(config["filters"]);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    setNumbers(config, "strides", message.mutable_strides());
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    message.set_padding(paddingOf(config));
    message.set_groups(config["groups"]);
    message.set_use_bias(config["use_bias"]);
    message.set_activation(function.value_or(spec::Activation::linear));
    return function.has_value();
}

bool ofDepthwiseConv2d(const Json& config, spec::Layer& layer)
{
    spec::DepthwiseConv2dLayer& message = *layer.mutable_depthwise_conv_2d();
    const auto function = functionOf(config);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    message.set_stride(config["strides"][0]);
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    message.set_padding(paddingOf(config));
    message.set_depth_multiplier(config["depth_multiplier"]);
    message.set_use_bias(config["use_bias"]);
    message.set_activation(function.value_or(spec::Activation::linear));
    return function.has_value();
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Conv2D", ofConv2d},
    {"DepthwiseConv2D", ofDepthwiseConv2d},
});

} // namespace

std::span<const ConversionRow> convolutionConversions()
{
    return kConversions;
}

} // namespace cannery::tests
