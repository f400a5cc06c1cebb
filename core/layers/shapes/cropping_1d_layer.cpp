// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/cropping_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeCropping1dLayer(const spec::Layer& message)
{
    return std::make_unique<Cropping1dLayer>(message.cropping_1d());
}

} // namespace cannery::layers
