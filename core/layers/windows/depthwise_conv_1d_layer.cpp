// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/depthwise_conv_1d_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"

namespace cannery::layers {

DepthwiseConv1dLayer::DepthwiseConv1dLayer(const spec::DepthwiseConv1dLayer& message)
    : ConvolutionLayer({.kind = "depthwise_conv_1d",
                        .window = {.over = WindowsOver::Steps,
                                   .size = {message.kernel_size()},
                                   .strides = {message.stride()},
                                   .dilation = {message.dilation_rate()},
                                   .padding = message.padding()},
                        .activation = activationOf(message.activation()),
                        .usesBias = message.use_bias(),
                        .isDepthwise = true}),
      m_multiplier(message.depth_multiplier())
{}

ConvolutionLayer::Channels DepthwiseConv1dLayer::channelsOf(std::int64_t channels) const
{
    return {.filters = channels * m_multiplier, .groups = channels};
}

Result<void> DepthwiseConv1dLayer::check(const graph::Value& input, std::int64_t channels) const
{
    return expectCountable("depthwise_conv_1d", input,
                           static_cast<double>(channels) * static_cast<double>(m_multiplier));
}

LayerVariable DepthwiseConv1dLayer::kernelVariable(std::int64_t channels) const
{
    return {.suffix = "depthwise_kernel", .shape = {channels, m_multiplier}};
}

std::unique_ptr<Layer> makeDepthwiseConv1dLayer(const spec::Layer& message)
{
    return std::make_unique<DepthwiseConv1dLayer>(message.depthwise_conv_1d());
}

} // namespace cannery::layers
