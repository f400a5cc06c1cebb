// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/global_pooling_layer.h"

namespace cannery::layers {

/// The largest number of each channel of a sequence: tf.keras.layers.GlobalMaxPooling1D.
class GlobalMaxPooling1dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalMaxPooling1dLayer(const spec::GlobalMaxPooling1dLayer& message)
        : GlobalPoolingLayer({.kind = "global_max_pooling_1d",
                              .rule = kernels::PoolingRule::Max,
                              .over = WindowsOver::Steps,
                              .keepsDimensions = message.keepdims()})
    {}
};

std::unique_ptr<Layer> makeGlobalMaxPooling1dLayer(const spec::Layer& message);

} // namespace cannery::layers
