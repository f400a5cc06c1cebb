// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/pooling_layer.h"

namespace cannery::layers {

/// The mean of each window of an image, channel by channel; pixels beyond the edge are not counted:
/// tf.keras.layers.AveragePooling2D.
class AveragePooling2dLayer : public PoolingLayer
{
public:
    explicit AveragePooling2dLayer(const spec::AveragePooling2dLayer& message)
        : PoolingLayer({.kind = "average_pooling_2d",
                        .op = "AvgPool",
                        .rule = kernels::PoolingRule::Average,
                        .window = windowOf(message)})
    {}
};

std::unique_ptr<Layer> makeAveragePooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
