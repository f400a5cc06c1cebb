// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/cropping_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeCropping2dLayer(const spec::Layer& message)
{
    return std::make_unique<Cropping2dLayer>(message.cropping_2d());
}

} // namespace cannery::layers
