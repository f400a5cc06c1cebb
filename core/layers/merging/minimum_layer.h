// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/extreme_layer.h"

namespace cannery::layers {

/// tf.keras.layers.Minimum.
class MinimumLayer : public ExtremeLayer
{
public:
    MinimumLayer();
};

std::unique_ptr<Layer> makeMinimumLayer(const spec::Layer& message);

} // namespace cannery::layers
