// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/spatial_dropout_layer.h"

namespace cannery::layers {

/// Drops whole channels of images: tf.keras.layers.SpatialDropout2D.
class SpatialDropout2dLayer : public SpatialDropoutLayer
{
public:
    explicit SpatialDropout2dLayer(const spec::SpatialDropout2dLayer& message)
        : SpatialDropoutLayer({.kind = "spatial_dropout_2d",
                               .rows = "images ([height, width, channels])",
                               .rank = 3,
                               .rate = static_cast<float>(message.rate())})
    {}
};

std::unique_ptr<Layer> makeSpatialDropout2dLayer(const spec::Layer& message);

} // namespace cannery::layers
