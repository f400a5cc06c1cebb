// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/edge_layer.h"

namespace cannery::layers {

/// tf.keras.layers.ZeroPadding1D: zeros before and after a sequence.
class ZeroPadding1dLayer : public EdgeLayer
{
public:
    explicit ZeroPadding1dLayer(const spec::ZeroPadding1dLayer& message)
        : EdgeLayer({.kind = "zero_padding_1d",
                     .field = "padding",
                     .change = Change::Pad,
                     .over = WindowsOver::Steps,
                     .numbers = {message.padding().begin(), message.padding().end()},
                     .unset = 1})
    {}
};

std::unique_ptr<Layer> makeZeroPadding1dLayer(const spec::Layer& message);

} // namespace cannery::layers
