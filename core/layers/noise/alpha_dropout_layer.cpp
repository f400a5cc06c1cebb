// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/alpha_dropout_layer.h"

namespace cannery::layers {

AlphaDropoutLayer::AlphaDropoutLayer(const spec::AlphaDropoutLayer& message)
    : NoiseLayer("alpha_dropout", kernels::NoiseRule::AlphaDropout,
                 static_cast<float>(message.rate()))
{}

std::unique_ptr<Layer> makeAlphaDropoutLayer(const spec::Layer& message)
{
    return std::make_unique<AlphaDropoutLayer>(message.alpha_dropout());
}

} // namespace cannery::layers
