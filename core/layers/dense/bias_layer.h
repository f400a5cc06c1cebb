// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/bias_grad.h"

namespace cannery::layers {

/// A baseline: reads no features and gives every row the same logits, a bias that starts at 0.
class BiasLayer : public Layer
{
public:
    explicit BiasLayer(const spec::BiasLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    Result<void> placeForward(const Placement& placement) override;
    Result<void> placeBackward(const Placement& placement) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    std::int64_t m_units = 1;
    LayerBuffers m_buffers;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
};

std::unique_ptr<Layer> makeBiasLayer(const spec::Layer& message);

} // namespace cannery::layers
