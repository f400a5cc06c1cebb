// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/activations/rectifier_layer.h"

namespace cannery::layers {

/// x > theta ? x : 0: tf.keras.layers.ThresholdedReLU.
class ThresholdedReluLayer : public RectifierLayer
{
public:
    explicit ThresholdedReluLayer(const spec::ThresholdedReluLayer& message)
        : RectifierLayer("thresholded_relu", {.threshold = static_cast<float>(message.theta())})
    {}
};

std::unique_ptr<Layer> makeThresholdedReluLayer(const spec::Layer& message);

} // namespace cannery::layers
