// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/convolution_layer.h"

namespace cannery::layers {

/// tf.keras.layers.DepthwiseConv2D: each channel has filters of its own; output channel c * m + j
/// is filter j of m over channel c. The kernel is [height, width, channels, m].
class DepthwiseConv2dLayer : public ConvolutionLayer
{
public:
    explicit DepthwiseConv2dLayer(const spec::DepthwiseConv2dLayer& message);

private:
    Channels channelsOf(std::int64_t channels) const override;
    Result<void> check(const graph::Value& input, std::int64_t channels) const override;
    LayerVariable kernelVariable(std::int64_t channels) const override;

    std::int64_t m_multiplier = 1;
};

std::unique_ptr<Layer> makeDepthwiseConv2dLayer(const spec::Layer& message);

} // namespace cannery::layers
