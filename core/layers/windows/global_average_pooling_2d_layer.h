// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/global_pooling_layer.h"

namespace cannery::layers {

/// The mean of each channel of an image: tf.keras.layers.GlobalAveragePooling2D.
class GlobalAveragePooling2dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalAveragePooling2dLayer(const spec::GlobalAveragePooling2dLayer& message)
        : GlobalPoolingLayer({.kind = "global_average_pooling_2d",
                              .rule = kernels::PoolingRule::Average,
                              .over = WindowsOver::Pixels,
                              .keepsDimensions = message.keepdims()})
    {}
};

std::unique_ptr<Layer> makeGlobalAveragePooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
