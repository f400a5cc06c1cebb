// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/conv_1d_layer.h"

#include "core/layers/spec_options.h"

namespace cannery::layers {

Conv1dLayer::Conv1dLayer(const spec::Conv1dLayer& message)
    : ConvolutionLayer({.kind = "conv_1d",
                        .window = {.over = WindowsOver::Steps,
                                   .size = {message.kernel_size()},
                                   .strides = {message.stride()},
                                   .dilation = {message.dilation_rate()},
                                   .padding = message.padding()},
                        .activation = activationOf(message.activation()),
                        .usesBias = message.use_bias()}),
      m_filters(message.filters()), m_groups(message.groups())
{}

ConvolutionLayer::Channels Conv1dLayer::channelsOf(std::int64_t /*channels*/) const
{
    return {.filters = m_filters, .groups = m_groups};
}

Result<void> Conv1dLayer::check(const graph::Value& input, std::int64_t channels) const
{
    return checkGroups(m_groups, channels, m_filters, input);
}

LayerVariable Conv1dLayer::kernelVariable(std::int64_t channels) const
{
    return {.suffix = "kernel", .shape = {channels / m_groups, m_filters}};
}

std::unique_ptr<Layer> makeConv1dLayer(const spec::Layer& message)
{
    return std::make_unique<Conv1dLayer>(message.conv_1d());
}

} // namespace cannery::layers
