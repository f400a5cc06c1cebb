// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// The product of two or more dense values of one shape, number by number:
/// tf.keras.layers.Multiply.
class MultiplyLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    LayerBuffers m_buffers;
};

std::unique_ptr<Layer> makeMultiplyLayer(const spec::Layer& message);

} // namespace cannery::layers
