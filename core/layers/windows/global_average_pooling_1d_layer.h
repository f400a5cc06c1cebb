// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/windows/global_pooling_layer.h"

namespace cannery::layers {

/// The mean of each channel of a sequence, of the steps that a mask shows:
/// tf.keras.layers.GlobalAveragePooling1D.
class GlobalAveragePooling1dLayer : public GlobalPoolingLayer
{
public:
    explicit GlobalAveragePooling1dLayer(const spec::GlobalAveragePooling1dLayer& message)
        : GlobalPoolingLayer({.kind = "global_average_pooling_1d",
                              .rule = kernels::PoolingRule::Average,
                              .over = WindowsOver::Steps,
                              .keepsDimensions = message.keepdims(),
                              .takesMask = true})
    {}
};

std::unique_ptr<Layer> makeGlobalAveragePooling1dLayer(const spec::Layer& message);

} // namespace cannery::layers
