// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/noise_layer.h"

namespace cannery::layers {

/// In training sets a fraction to the lower limit of selu, and keeps mean 0 and variance 1:
/// tf.keras.layers.AlphaDropout.
class AlphaDropoutLayer : public NoiseLayer
{
public:
    explicit AlphaDropoutLayer(const spec::AlphaDropoutLayer& message);
};

std::unique_ptr<Layer> makeAlphaDropoutLayer(const spec::Layer& message);

} // namespace cannery::layers
