// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/merging/merging_layer.h"

namespace cannery::layers {

/// The sum of two or more dense values, repeated where needed: tf.keras.layers.Add.
class AddLayer : public MergingLayer
{
public:
    AddLayer();

    /// Inputs of one shape only.
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;

protected:
    void findGradient(const StepContext& step, std::size_t index,
                      kernels::MatrixView grad) override;
};

std::unique_ptr<Layer> makeAddLayer(const spec::Layer& message);

} // namespace cannery::layers
