// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/max_pooling_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeMaxPooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<MaxPooling2dLayer>(message.max_pooling_2d());
}

} // namespace cannery::layers
