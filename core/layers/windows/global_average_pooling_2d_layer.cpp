// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_average_pooling_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeGlobalAveragePooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalAveragePooling2dLayer>(message.global_average_pooling_2d());
}

} // namespace cannery::layers
