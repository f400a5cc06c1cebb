// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/merging_layer.h"

namespace cannery::layers {

/// The product of two or more dense values, repeated where needed: tf.keras.layers.Multiply.
class MultiplyLayer : public MergingLayer
{
public:
    MultiplyLayer();

protected:
    void findGradient(const StepContext& step, std::size_t index,
                      kernels::MatrixView grad) override;
};

std::unique_ptr<Layer> makeMultiplyLayer(const spec::Layer& message);

} // namespace cannery::layers
