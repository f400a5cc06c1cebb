// SPDX-License-Identifier: Apache-2.0
#include "tests/golden/keras_layers/conversions.h"

#include <array>

namespace cannery::tests {

namespace {

using Json = nlohmann::json;

/// What all of them have; false for an activation of another kind than ours.
template <typename Message>
bool setCommon(const Json& config, Message& message)
{
    const auto function = functionOf(config);
    message.set_padding(paddingOf(config));
    message.set_use_bias(config["use_bias"]);
    message.set_activation(function.value_or(spec::Activation::linear));
    return function.has_value();
}

/// Of a window over steps.
template <typename Message>
void setSteps(const Json& config, Message& message)
{
    message.set_kernel_size(config["kernel_size"][0]);
    message.set_stride(config["strides"][0]);
}

/// Ours has one stride for both directions.
bool hasOneStride(const Json& config)
{
    return config["strides"][0] == config["strides"][1];
}

bool ofConv1d(const Json& config, spec::Layer& layer)
{
    spec::Conv1dLayer& message = *layer.mutable_conv_1d();
    message.set_filters(config["filters"]);
    message.set_groups(config["groups"]);
    message.set_dilation_rate(config["dilation_rate"][0]);
    setSteps(config, message);
    return setCommon(config, message);
}

bool ofConv2d(const Json& config, spec::Layer& layer)
{
    spec::Conv2dLayer& message = *layer.mutable_conv_2d();
    message.set_filters(config["filters"]);
    message.set_groups(config["groups"]);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    setNumbers(config, "strides", message.mutable_strides());
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    return setCommon(config, message);
}

bool ofDepthwiseConv1d(const Json& config, spec::Layer& layer)
{
    spec::DepthwiseConv1dLayer& message = *layer.mutable_depthwise_conv_1d();
    message.set_depth_multiplier(config["depth_multiplier"]);
    message.set_dilation_rate(config["dilation_rate"][0]);
    setSteps(config, message);
    return setCommon(config, message);
}

bool ofDepthwiseConv2d(const Json& config, spec::Layer& layer)
{
    spec::DepthwiseConv2dLayer& message = *layer.mutable_depthwise_conv_2d();
    message.set_depth_multiplier(config["depth_multiplier"]);
    message.set_stride(config["strides"][0]);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    return setCommon(config, message) && hasOneStride(config);
}

bool ofSeparableConv1d(const Json& config, spec::Layer& layer)
{
    spec::SeparableConv1dLayer& message = *layer.mutable_separable_conv_1d();
    message.set_filters(config["filters"]);
    message.set_depth_multiplier(config["depth_multiplier"]);
    message.set_dilation_rate(config["dilation_rate"][0]);
    setSteps(config, message);
    return setCommon(config, message);
}

bool ofSeparableConv2d(const Json& config, spec::Layer& layer)
{
    spec::SeparableConv2dLayer& message = *layer.mutable_separable_conv_2d();
    message.set_filters(config["filters"]);
    message.set_depth_multiplier(config["depth_multiplier"]);
    message.set_stride(config["strides"][0]);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    return setCommon(config, message) && hasOneStride(config);
}

/// Whether the config has one: Keras writes null without.
bool hasOutputPadding(const Json& config)
{
    return config.contains("output_padding") && !config["output_padding"].is_null();
}

bool ofConv1dTranspose(const Json& config, spec::Layer& layer)
{
    spec::Conv1dTransposeLayer& message = *layer.mutable_conv_1d_transpose();
    message.set_filters(config["filters"]);
    if (hasOutputPadding(config)) {
        message.set_output_padding(config["output_padding"][0]);
    }
    setSteps(config, message);
    return setCommon(config, message) && config["dilation_rate"][0] == 1;
}

bool ofConv2dTranspose(const Json& config, spec::Layer& layer)
{
    spec::Conv2dTransposeLayer& message = *layer.mutable_conv_2d_transpose();
    message.set_filters(config["filters"]);
    setNumbers(config, "kernel_size", message.mutable_kernel_size());
    setNumbers(config, "strides", message.mutable_strides());
    setNumbers(config, "dilation_rate", message.mutable_dilation_rate());
    if (hasOutputPadding(config)) {
        setNumbers(config, "output_padding", message.mutable_output_padding());
    }
    return setCommon(config, message);
}

constexpr auto kConversions = std::to_array<ConversionRow>({
    {"Conv1D", ofConv1d},
    {"Conv1DTranspose", ofConv1dTranspose},
    {"Conv2D", ofConv2d},
    {"Conv2DTranspose", ofConv2dTranspose},
    {"DepthwiseConv1D", ofDepthwiseConv1d},
    {"DepthwiseConv2D", ofDepthwiseConv2d},
    {"SeparableConv1D", ofSeparableConv1d},
    {"SeparableConv2D", ofSeparableConv2d},
});

} // namespace

std::span<const ConversionRow> convolutionConversions()
{
    return kConversions;
}

} // namespace cannery::tests
