// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/edge_layer.h"

namespace cannery::layers {

/// tf.keras.layers.ZeroPadding2D: zeros around an image.
class ZeroPadding2dLayer : public EdgeLayer
{
public:
    explicit ZeroPadding2dLayer(const spec::ZeroPadding2dLayer& message)
        : EdgeLayer({.kind = "zero_padding_2d",
                     .field = "padding",
                     .change = Change::Pad,
                     .over = WindowsOver::Pixels,
                     .numbers = {message.padding().begin(), message.padding().end()},
                     .unset = 1})
    {}
};

std::unique_ptr<Layer> makeZeroPadding2dLayer(const spec::Layer& message);

} // namespace cannery::layers
