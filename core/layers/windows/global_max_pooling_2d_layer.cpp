// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_max_pooling_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeGlobalMaxPooling2dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalMaxPooling2dLayer>(message.global_max_pooling_2d());
}

} // namespace cannery::layers
