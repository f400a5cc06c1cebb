// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/pooling_layer.h"

namespace cannery::layers {

/// The largest number of each window of a sequence, channel by channel:
/// tf.keras.layers.MaxPooling1D.
class MaxPooling1dLayer : public PoolingLayer
{
public:
    explicit MaxPooling1dLayer(const spec::MaxPooling1dLayer& message)
        : PoolingLayer({.kind = "max_pooling_1d",
                        .op = "MaxPool",
                        .rule = kernels::PoolingRule::Max,
                        .window = windowOverSteps(message)})
    {}
};

std::unique_ptr<Layer> makeMaxPooling1dLayer(const spec::Layer& message);

} // namespace cannery::layers
