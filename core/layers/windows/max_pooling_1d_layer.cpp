// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/max_pooling_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeMaxPooling1dLayer(const spec::Layer& message)
{
    return std::make_unique<MaxPooling1dLayer>(message.max_pooling_1d());
}

} // namespace cannery::layers
