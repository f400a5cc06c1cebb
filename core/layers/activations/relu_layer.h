// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/activations/rectifier_layer.h"

namespace cannery::layers {

/// x above a threshold, up to a largest value; below it a slope: tf.keras.layers.ReLU.
class ReluLayer : public RectifierLayer
{
public:
    explicit ReluLayer(const spec::ReluLayer& message);
};

std::unique_ptr<Layer> makeReluLayer(const spec::Layer& message);

} // namespace cannery::layers
