// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/conv_2d_layer.h"

#include "core/layers/spec_options.h"

namespace cannery::layers {

Conv2dLayer::Conv2dLayer(const spec::Conv2dLayer& message)
    : ConvolutionLayer(
          {.kind = "conv_2d",
           .window = {.size = {message.kernel_size().begin(), message.kernel_size().end()},
                      .strides = {message.strides().begin(), message.strides().end()},
                      .dilation = {message.dilation_rate().begin(), message.dilation_rate().end()},
                      .padding = message.padding()},
           .activation = activationOf(message.activation()),
           .usesBias = message.use_bias()}),
      m_filters(message.filters()), m_groups(message.groups())
{}

ConvolutionLayer::Channels Conv2dLayer::channelsOf(std::int64_t /*channels*/) const
{
    return {.filters = m_filters, .groups = m_groups};
}

Result<void> Conv2dLayer::check(const graph::Value& input, std::int64_t channels) const
{
    return checkGroups(m_groups, channels, m_filters, input);
}

LayerVariable Conv2dLayer::kernelVariable(std::int64_t channels) const
{
    return {.suffix = "kernel", .shape = {channels / m_groups, m_filters}};
}

std::unique_ptr<Layer> makeConv2dLayer(const spec::Layer& message)
{
    return std::make_unique<Conv2dLayer>(message.conv_2d());
}

} // namespace cannery::layers
