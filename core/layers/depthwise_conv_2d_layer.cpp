// SPDX-License-Identifier: Apache-2.0
#include "core/layers/depthwise_conv_2d_layer.h"

#include "core/layers/lookup.h"
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
           .usesBias = message.use_bias()}),
      m_multiplier(message.depth_multiplier())
{}

ConvolutionLayer::Channels DepthwiseConv2dLayer::channelsOf(std::int64_t channels) const
{
    return {.filters = channels * m_multiplier, .groups = channels};
}

Result<void> DepthwiseConv2dLayer::check(const graph::Value& /*input*/,
                                         std::int64_t /*channels*/) const
{
    return {};
}

LayerVariable DepthwiseConv2dLayer::kernelVariable(std::int64_t channels) const
{
    return {.suffix = "depthwise_kernel", .shape = {channels, m_multiplier}};
}

storage::NodeRef DepthwiseConv2dLayer::emitProduct(const EmitContext& context,
                                                   const ImageWindow& window) const
{
    return context.graph.add("DepthwiseConv2dNative", "depthwise",
                             {nodeRef(context.inputs[0].dense), context.variables[0]->read},
                             windowAttrs(window, options().window.padding));
}

std::unique_ptr<Layer> makeDepthwiseConv2dLayer(const spec::Layer& message)
{
    return std::make_unique<DepthwiseConv2dLayer>(message.depthwise_conv_2d());
}

} // namespace cannery::layers
