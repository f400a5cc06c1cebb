// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/spatial_dropout_layer.h"

namespace cannery::layers {

/// Drops whole channels of sequences: tf.keras.layers.SpatialDropout1D.
class SpatialDropout1dLayer : public SpatialDropoutLayer
{
public:
    explicit SpatialDropout1dLayer(const spec::SpatialDropout1dLayer& message)
        : SpatialDropoutLayer({.kind = "spatial_dropout_1d",
                               .rows = "sequences ([steps, channels])",
                               .rank = 2,
                               .rate = static_cast<float>(message.rate())})
    {}
};

std::unique_ptr<Layer> makeSpatialDropout1dLayer(const spec::Layer& message);

} // namespace cannery::layers
