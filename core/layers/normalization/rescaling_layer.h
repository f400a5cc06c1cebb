// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/broadcast.h"

namespace cannery::layers {

/// x * scale + offset: tf.keras.layers.Rescaling.
class RescalingLayer : public Layer
{
public:
    explicit RescalingLayer(const spec::RescalingLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    const float m_scale;
    const float m_offset;
    LayerBuffers m_buffers;
    kernels::Broadcast m_scalar;
};

std::unique_ptr<Layer> makeRescalingLayer(const spec::Layer& message);

} // namespace cannery::layers
