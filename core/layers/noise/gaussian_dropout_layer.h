// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/noise_layer.h"

namespace cannery::layers {

/// In training x n, n normal with mean 1 and variance rate / (1 - rate):
/// tf.keras.layers.GaussianDropout.
class GaussianDropoutLayer : public NoiseLayer
{
public:
    explicit GaussianDropoutLayer(const spec::GaussianDropoutLayer& message);
};

std::unique_ptr<Layer> makeGaussianDropoutLayer(const spec::Layer& message);

} // namespace cannery::layers
