// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/spatial_dropout_1d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeSpatialDropout1dLayer(const spec::Layer& message)
{
    return std::make_unique<SpatialDropout1dLayer>(message.spatial_dropout_1d());
}

} // namespace cannery::layers
