// SPDX-License-Identifier: Apache-2.0
#include "core/layers/windows/global_max_pooling_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeGlobalMaxPooling1dLayer(const spec::Layer& message)
{
    return std::make_unique<GlobalMaxPooling1dLayer>(message.global_max_pooling_1d());
}

} // namespace cannery::layers
