// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/spatial_dropout_2d_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeSpatialDropout2dLayer(const spec::Layer& message)
{
    return std::make_unique<SpatialDropout2dLayer>(message.spatial_dropout_2d());
}

} // namespace cannery::layers
