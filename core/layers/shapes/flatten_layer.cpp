// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/flatten_layer.h"

namespace cannery::layers {

std::unique_ptr<Layer> makeFlattenLayer(const spec::Layer&)
{
    return std::make_unique<FlattenLayer>();
}

} // namespace cannery::layers
