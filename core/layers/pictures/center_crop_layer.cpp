// SPDX-License-Identifier: Apache-2.0
#include "core/layers/pictures/center_crop_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeCenterCropLayer(const spec::Layer& message)
{
    return std::make_unique<CenterCropLayer>(message.center_crop());
}

} // namespace cannery::layers
