// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/thresholded_relu_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeThresholdedReluLayer(const spec::Layer& message)
{
    return std::make_unique<ThresholdedReluLayer>(message.thresholded_relu());
}

} // namespace cannery::layers
