// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/reshape_layer.h"

namespace cannery::layers {

/// The numbers of each row as a vector, in their order: tf.keras.layers.Flatten.
class FlattenLayer : public ReshapeLayer
{
public:
    FlattenLayer() : ReshapeLayer("flatten", {-1}) {}
};

std::unique_ptr<Layer> makeFlattenLayer(const spec::Layer& message);

} // namespace cannery::layers
