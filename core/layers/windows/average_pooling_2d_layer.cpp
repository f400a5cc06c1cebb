// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/average_pooling_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeAveragePooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<AveragePooling2dLayer>(message.average_pooling_2d());
}

} // namespace cannery::layers
