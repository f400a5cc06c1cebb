// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/random_layer.h"
#include "kernels/ops/dropout.h"

namespace cannery::layers {

/// tf.keras.layers.Dropout: in training drops a unit with probability `rate` and scales the others
/// by 1 / (1 - rate), decided by (seed, layer, step, row, unit); otherwise passes through.
class DropoutLayer : public RandomLayer
{
public:
    explicit DropoutLayer(const spec::DropoutLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    /// Drops at random, by TensorFlow's numbers.
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst) override;
    void place(const Placement& placement, kernels::ConstMatrixView src,
               kernels::MatrixView dst) const;

    float m_rate = 0.0F;
    const kernels::DropoutKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeDropoutLayer(const spec::Layer& message);

} // namespace cannery::layers
