// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/shapes/resampled_rows.h"

namespace cannery::layers {

/// tf.keras.layers.RepeatVector: a sequence [n, width] that has the same vector at each step.
class RepeatVectorLayer : public Layer
{
public:
    explicit RepeatVectorLayer(const spec::RepeatVectorLayer& message) : m_steps(message.n()) {}

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override { m_rows.forward(step); }
    void backward(const StepContext& step) override { m_rows.backward(step); }
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    std::int64_t m_steps = 0;
    ResampledRows m_rows;
};

std::unique_ptr<Layer> makeRepeatVectorLayer(const spec::Layer& message);

} // namespace cannery::layers
