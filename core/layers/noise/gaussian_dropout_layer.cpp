// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/gaussian_dropout_layer.h"

#include <cmath>

namespace cannery::layers {

GaussianDropoutLayer::GaussianDropoutLayer(const spec::GaussianDropoutLayer& message)
    : NoiseLayer("gaussian_dropout", kernels::NoiseRule::Multiply,
                 static_cast<float>(std::sqrt(message.rate() / (1.0 - message.rate()))))
{}

std::unique_ptr<Layer> makeGaussianDropoutLayer(const spec::Layer& message)
{
    return std::make_unique<GaussianDropoutLayer>(message.gaussian_dropout());
}

} // namespace cannery::layers
