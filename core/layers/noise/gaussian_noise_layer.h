// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/noise_layer.h"

namespace cannery::layers {

/// In training x + n, n normal with mean 0: tf.keras.layers.GaussianNoise.
class GaussianNoiseLayer : public NoiseLayer
{
public:
    explicit GaussianNoiseLayer(const spec::GaussianNoiseLayer& message);
};

std::unique_ptr<Layer> makeGaussianNoiseLayer(const spec::Layer& message);

} // namespace cannery::layers
