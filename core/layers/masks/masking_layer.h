// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// tf.keras.layers.Masking: steps, the last dimension of rows of shape [..., channels], whose
/// numbers all equal a value become zeros and pass no gradient; all others stay. The mask itself is
/// another node (masks/mask_flow.h).
class MaskingLayer : public Layer
{
public:
    explicit MaskingLayer(const spec::MaskingLayer& message)
        : m_value(static_cast<float>(message.mask_value()))
    {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// dst = src, zeros where the input has the value.
    void keepShown(const StepContext& step, kernels::ConstMatrixView src,
                   kernels::MatrixView dst) const;

    float m_value;
    LayerBuffers m_buffers;
};

std::unique_ptr<Layer> makeMaskingLayer(const spec::Layer& message);

} // namespace cannery::layers
