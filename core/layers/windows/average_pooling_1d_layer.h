// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/pooling_layer.h"

namespace cannery::layers {

/// The mean of each window of a sequence, channel by channel, without what is beyond its ends:
/// tf.keras.layers.AveragePooling1D.
class AveragePooling1dLayer : public PoolingLayer
{
public:
    explicit AveragePooling1dLayer(const spec::AveragePooling1dLayer& message)
        : PoolingLayer({.kind = "average_pooling_1d",
                        .op = "AvgPool",
                        .rule = kernels::PoolingRule::Average,
                        .window = windowOverSteps(message)})
    {}
};

std::unique_ptr<Layer> makeAveragePooling1dLayer(const spec::Layer& message);

} // namespace cannery::layers
