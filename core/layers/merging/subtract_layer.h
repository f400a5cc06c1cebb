// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/merging_layer.h"

namespace cannery::layers {

/// The first of two dense values minus the second, repeated where needed:
/// tf.keras.layers.Subtract.
class SubtractLayer : public MergingLayer
{
public:
    SubtractLayer();

protected:
    void findGradient(const StepContext& step, std::size_t index,
                      kernels::MatrixView grad) override;
};

std::unique_ptr<Layer> makeSubtractLayer(const spec::Layer& message);

} // namespace cannery::layers
