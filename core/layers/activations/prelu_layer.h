// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/parametric_activation.h"

namespace cannery::layers {

/// x > 0 ? x : alpha x, with an alpha for each number of a row, or one along shared dimensions:
/// tf.keras.layers.PReLU. alpha has the row's shape, with 1 for those.
class PreluLayer : public Layer
{
public:
    explicit PreluLayer(const spec::PreluLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override;
    std::vector<std::int64_t> weightTasks() const override;
    void backwardWeights(const StepContext& step, std::size_t task) override;
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    std::vector<std::int64_t> slopeShape(const std::vector<std::int64_t>& rowShape) const;
    kernels::LearnedSlopes slopes() const;

    std::vector<std::int64_t> m_sharedAxes; ///< from 1 on
    LayerBuffers m_buffers;
    const kernels::ParametricActivationKernels* m_kernels = nullptr;
    std::vector<std::int32_t> m_indices; ///< of the slope of each number of a row
    std::vector<double> m_columnGrads;   ///< of each number of a row, over the batch
    std::vector<double> m_slopeGrads;
};

std::unique_ptr<Layer> makePreluLayer(const spec::Layer& message);

} // namespace cannery::layers
