// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/pooling_layer.h"

namespace cannery::layers {

/// The largest number of each window of an image, channel by channel:
/// tf.keras.layers.MaxPooling2D.
class MaxPooling2dLayer : public PoolingLayer
{
public:
    explicit MaxPooling2dLayer(const spec::MaxPooling2dLayer& message)
        : PoolingLayer({.kind = "max_pooling_2d",
                        .op = "MaxPool",
                        .rule = kernels::PoolingRule::Max,
                        .window = windowOf(message)})
    {}
};

std::unique_ptr<Layer> makeMaxPooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
