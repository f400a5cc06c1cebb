// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/softmax.h"

namespace cannery::layers {

/// Exponentials divided by their sum along some dimensions together: tf.keras.layers.Softmax. A
/// second input of the same shape is a mask: where it is 0 the number is lowered by 1e9, as Keras
/// does, and the mask has no gradient.
class SoftmaxLayer : public Layer
{
public:
    explicit SoftmaxLayer(const spec::SoftmaxLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    struct Order;
    Order orderOf(const std::vector<std::int64_t>& rowShape) const;
    std::span<float> some(std::vector<float>& memory, const StepContext& step) const;

    std::vector<std::int64_t> m_axes; ///< from 1 on, or from the end
    LayerBuffers m_buffers;
    const kernels::SoftmaxKernels* m_kernels = nullptr;
    std::int64_t m_together = 1; ///< numbers that add up to 1
    /// Where the numbers of a row stand if those that add up to 1 are side by side; empty if they
    /// are.
    std::vector<std::int32_t> m_places;
    std::vector<float> m_ordered; ///< the output in that order
    std::vector<float> m_orderedGrads;
};

std::unique_ptr<Layer> makeSoftmaxLayer(const spec::Layer& message);

} // namespace cannery::layers
