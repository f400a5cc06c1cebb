// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/edge_layer.h"

namespace cannery::layers {

/// tf.keras.layers.Cropping2D: an image without its edge.
class Cropping2dLayer : public EdgeLayer
{
public:
    explicit Cropping2dLayer(const spec::Cropping2dLayer& message)
        : EdgeLayer({.kind = "cropping_2d",
                     .field = "cropping",
                     .change = Change::Crop,
                     .over = WindowsOver::Pixels,
                     .numbers = {message.cropping().begin(), message.cropping().end()},
                     .unset = 0})
    {}
};

std::unique_ptr<Layer> makeCropping2dLayer(const spec::Layer& message);

} // namespace cannery::layers
