// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/global_pooling_layer.h"

namespace cannery::layers {

/// The largest number of each channel of an image: tf.keras.layers.GlobalMaxPooling2D.
class GlobalMaxPooling2dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalMaxPooling2dLayer(const spec::GlobalMaxPooling2dLayer& message)
        : GlobalPoolingLayer({.kind = "global_max_pooling_2d",
                              .rule = kernels::PoolingRule::Max,
                              .over = WindowsOver::Pixels,
                              .keepsDimensions = message.keepdims()})
    {}
};

std::unique_ptr<Layer> makeGlobalMaxPooling2dLayer(const spec::Layer& message);

} // namespace cannery::layers
