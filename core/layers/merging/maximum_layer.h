// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/extreme_layer.h"

namespace cannery::layers {

/// tf.keras.layers.Maximum.
class MaximumLayer : public ExtremeLayer
{
public:
    MaximumLayer();
};

std::unique_ptr<Layer> makeMaximumLayer(const spec::Layer& message);

} // namespace cannery::layers
