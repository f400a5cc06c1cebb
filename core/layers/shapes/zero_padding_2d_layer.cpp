// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/zero_padding_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeZeroPadding2dLayer(const spec::Layer& message)
{
    return std::make_unique<ZeroPadding2dLayer>(message.zero_padding_2d());
}

} // namespace cannery::layers
