// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/activation.h"

namespace cannery::layers {

/// activation(input), number by number: tf.keras.layers.Activation.
class ActivationLayer : public Layer
{
public:
    explicit ActivationLayer(const spec::ActivationLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    kernels::Activation m_activation = kernels::Activation::Relu;
    LayerBuffers m_buffers;
    const kernels::ActivationKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makeActivationLayer(const spec::Layer& message);

} // namespace cannery::layers
