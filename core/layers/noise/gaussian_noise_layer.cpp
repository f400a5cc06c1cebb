// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/gaussian_noise_layer.h"

namespace cannery::layers {

GaussianNoiseLayer::GaussianNoiseLayer(const spec::GaussianNoiseLayer& message)
    : NoiseLayer("gaussian_noise", kernels::NoiseRule::Add, static_cast<float>(message.stddev()))
{}

std::unique_ptr<Layer> makeGaussianNoiseLayer(const spec::Layer& message)
{
    return std::make_unique<GaussianNoiseLayer>(message.gaussian_noise());
}

} // namespace cannery::layers
