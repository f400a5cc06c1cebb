// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/activations/rectifier_layer.h"

namespace cannery::layers {

/// x > 0 ? x : alpha x, tf.keras.layers.LeakyReLU, whose default of alpha is not that of
/// tf.nn.leaky_relu.
class LeakyReluLayer : public RectifierLayer
{
public:
    explicit LeakyReluLayer(const spec::LeakyReluLayer& message)
        : RectifierLayer("leaky_relu", {.slope = static_cast<float>(message.alpha())})
    {}
};

std::unique_ptr<Layer> makeLeakyReluLayer(const spec::Layer& message);

} // namespace cannery::layers
