// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/relu_layer.h"

namespace cannery::layers {

ReluLayer::ReluLayer(const spec::ReluLayer& message)
    : RectifierLayer("relu",
                     {.slope = static_cast<float>(message.negative_slope()),
                      .threshold = static_cast<float>(message.threshold()),
                      .cap = message.has_max_value() ? static_cast<float>(message.max_value())
                                                     : std::numeric_limits<float>::infinity()})
{}

std::unique_ptr<Layer> makeReluLayer(const spec::Layer& message)
{
    return std::make_unique<ReluLayer>(message.relu());
}

} // namespace cannery::layers
