// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/edge_layer.h"

namespace cannery::layers {

/// tf.keras.layers.Cropping1D: a sequence without its first and last steps.
class Cropping1dLayer : public EdgeLayer
{
public:
    explicit Cropping1dLayer(const spec::Cropping1dLayer& message)
        : EdgeLayer({.kind = "cropping_1d",
                     .field = "cropping",
                     .change = Change::Crop,
                     .over = WindowsOver::Steps,
                     .numbers = {message.cropping().begin(), message.cropping().end()},
                     .unset = 1})
    {}
};

std::unique_ptr<Layer> makeCropping1dLayer(const spec::Layer& message);

} // namespace cannery::layers
