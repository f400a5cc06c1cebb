// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/average_pooling_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeAveragePooling1dLayer(const spec::Layer& message)
{
    return std::make_unique<AveragePooling1dLayer>(message.average_pooling_1d());
}

} // namespace cannery::layers
