// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/parametric_activation.h"

namespace cannery::layers {

/// x > 0 ? x : alpha (e^x - 1), number by number: tf.keras.layers.ELU.
class EluLayer : public Layer
{
public:
    explicit EluLayer(const spec::EluLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    float m_alpha = 1.0F;
    LayerBuffers m_buffers;
    const kernels::ParametricActivationKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeEluLayer(const spec::Layer& message);

} // namespace cannery::layers
