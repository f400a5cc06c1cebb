// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/convolution_layer.h"

namespace cannery::layers {

/// tf.keras.layers.Conv1D: filters over windows of a sequence, in groups of channels; the kernel is
/// [steps, channels / groups, filters].
class Conv1dLayer : public ConvolutionLayer
{
public:
    explicit Conv1dLayer(const spec::Conv1dLayer& message);

private:
    Channels channelsOf(std::int64_t channels) const override;
    Result<void> check(const graph::Value& input, std::int64_t channels) const override;
    LayerVariable kernelVariable(std::int64_t channels) const override;

    std::int64_t m_filters = 0;
    std::int64_t m_groups = 1;
};

std::unique_ptr<Layer> makeConv1dLayer(const spec::Layer& message);

} // namespace cannery::layers
