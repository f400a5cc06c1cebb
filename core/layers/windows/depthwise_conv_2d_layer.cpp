// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/depthwise_conv_2d_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"

namespace cannery::layers {

DepthwiseConv2dLayer::DepthwiseConv2dLayer(const spec::DepthwiseConv2dLayer& message)
    : ConvolutionLayer(
          {.kind = "depthwise_conv_2d",
           .window = {.size = {message.kernel_size().begin(), message.kernel_size().end()},
                      .strides = {message.stride()},
                      .dilation = {message.dilation_rate().begin(), message.dilation_rate().end()},
                      .padding = message.padding()},
           .activation = activationOf(message.activation()),
           .usesBias = message.use_bias(),
           .isDepthwise = true}),
      m_multiplier(message.depth_multiplier())
{}

ConvolutionLayer::Channels DepthwiseConv2dLayer::channelsOf(std::int64_t channels) const
{
    return {.filters = channels * m_multiplier, .groups = channels};
}

Result<void> DepthwiseConv2dLayer::check(const graph::Value& input, std::int64_t channels) const
{
    return expectCountable("depthwise_conv_2d", input,
                           static_cast<double>(channels) * static_cast<double>(m_multiplier));
}

LayerVariable DepthwiseConv2dLayer::kernelVariable(std::int64_t channels) const
{
    return {.suffix = "depthwise_kernel", .shape = {channels, m_multiplier}};
}

std::unique_ptr<Layer> makeDepthwiseConv2dLayer(const spec::Layer& message)
{
    return std::make_unique<DepthwiseConv2dLayer>(message.depthwise_conv_2d());
}

} // namespace cannery::layers
