// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/leaky_relu_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeLeakyReluLayer(const spec::Layer& message)
{
    return std::make_unique<LeakyReluLayer>(message.leaky_relu());
}

} // namespace cannery::layers
