// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"

namespace cannery::layers {

/// tf.keras.layers.DenseFeatures: columns side by side, in the given order (the estimator passes
/// them in the order of their TensorFlow names). Adjacent dense columns are packed into one run; an
/// indicator is a run by itself and stays ids.
class InputLayer : public Layer
{
public:
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
    /// Dense columns packed side by side.
    struct Pack
    {
        std::vector<const ValueBuffer*> columns;
        ValueBuffer packed;
        std::vector<float> values;
        std::vector<float> grads;
        bool wantsGradient = false;
    };
    const ValueBuffer& makePack(const std::vector<const ValueBuffer*>& columns,
                                std::int64_t maxRows);

    std::vector<Pack> m_packs;
};

std::unique_ptr<Layer> makeInputLayer(const spec::Layer& message);

} // namespace cannery::layers
