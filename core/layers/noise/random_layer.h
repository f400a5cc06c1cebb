// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/training_emission.h"

namespace cannery::layers {

/// What layers of dropout and noise share: training draws random numbers, the same in both passes,
/// as they depend on seed, layer, step, row and unit only; otherwise values pass through.
class RandomLayer : public Layer, public EmitsTraining
{
public:
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    /// Whether training changes anything.
    virtual bool isActive() const { return true; }
    /// Of a training step: values in the forward pass, their gradients in the backward pass.
    virtual void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                      kernels::MatrixView dst) = 0;
    /// The same outside training, where nothing is drawn: copies the values.
    virtual void passThrough(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                             kernels::MatrixView dst);

    void bind(const LayerBuffers& buffers) { m_buffers = buffers; }
    const LayerBuffers& buffers() const { return m_buffers; }

private:
    void pass(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst);

    LayerBuffers m_buffers;
};

} // namespace cannery::layers
