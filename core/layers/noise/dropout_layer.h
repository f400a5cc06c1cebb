// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/training_emission.h"
#include "kernels/ops/dropout.h"

namespace cannery::layers {

/// tf.keras.layers.Dropout: in training drops a unit with probability `rate` and scales the others
/// by 1 / (1 - rate), decided by (seed, layer, step, row, unit); otherwise passes through.
class DropoutLayer : public Layer, public EmitsTraining
{
public:
    explicit DropoutLayer(const spec::DropoutLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;
    /// Drops at random, by TensorFlow's numbers.
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

private:
    void apply(const StepContext& step, kernels::ConstMatrixView src, kernels::MatrixView dst);
    void place(const Placement& placement, kernels::ConstMatrixView src,
               kernels::MatrixView dst) const;

    float m_rate = 0.0F;
    LayerBuffers m_buffers;
    const kernels::DropoutKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeDropoutLayer(const spec::Layer& message);

} // namespace cannery::layers
