// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_average_pooling_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeGlobalAveragePooling1dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalAveragePooling1dLayer>(message.global_average_pooling_1d());
}

} // namespace cannery::layers
