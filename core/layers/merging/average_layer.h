// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/merging_layer.h"

namespace cannery::layers {

/// The mean of two or more dense values, repeated where needed: tf.keras.layers.Average.
class AverageLayer : public MergingLayer
{
public:
    AverageLayer();

    void forward(const StepContext& step) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    void findGradient(const StepContext& step, std::size_t index,
                      kernels::MatrixView grad) override;
};

std::unique_ptr<Layer> makeAverageLayer(const spec::Layer& message);

} // namespace cannery::layers
