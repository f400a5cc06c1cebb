// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// Its input times a constant.
class ScaleLayer : public Layer
{
public:
    explicit ScaleLayer(const spec::ScaleLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override { m_buffers = buffers; }
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    float m_factor = 1.0F;
    LayerBuffers m_buffers;
};

std::unique_ptr<Layer> makeScaleLayer(const spec::Layer& message);

} // namespace cannery::layers
