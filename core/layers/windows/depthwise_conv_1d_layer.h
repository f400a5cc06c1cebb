// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/convolution_layer.h"

namespace cannery::layers {

/// tf.keras.layers.DepthwiseConv1D: each channel of a sequence has filters of its own; output
/// channel c * m + j is filter j of m over channel c. The kernel is [steps, channels, m].
class DepthwiseConv1dLayer : public ConvolutionLayer
{
public:
    explicit DepthwiseConv1dLayer(const spec::DepthwiseConv1dLayer& message);

private:
    Channels channelsOf(std::int64_t channels) const override;
    Result<void> check(const graph::Value& input, std::int64_t channels) const override;
    LayerVariable kernelVariable(std::int64_t channels) const override;

    std::int64_t m_multiplier = 1;
};

std::unique_ptr<Layer> makeDepthwiseConv1dLayer(const spec::Layer& message);

} // namespace cannery::layers
