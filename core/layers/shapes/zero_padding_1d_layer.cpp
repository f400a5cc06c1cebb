// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/zero_padding_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeZeroPadding1dLayer(const spec::Layer& message)
{
    return std::make_unique<ZeroPadding1dLayer>(message.zero_padding_1d());
}

} // namespace cannery::layers
