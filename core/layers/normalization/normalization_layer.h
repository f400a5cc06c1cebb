// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/broadcast.h"

#include <vector>

namespace cannery::layers {

/// (x - mean) / max(sqrt(variance), 1e-7) by channel, or the inverse of it:
/// tf.keras.layers.Normalization. Without numbers, mean and variance are variables that are not
/// trained, beside the `count` of rows that Keras's adapt() keeps with them; nothing here changes
/// any of them.
class NormalizationLayer : public Layer
{
public:
    explicit NormalizationLayer(const spec::NormalizationLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    bool hasNumbers() const { return !m_mean.empty(); }
    /// One for each channel, or one for all.
    std::span<const float> mean() const;
    std::span<const float> variance() const;
    /// max(sqrt(variance), 1e-7), in memory of the part.
    std::span<const float> deviation(const StepContext& step);
    void apply(const StepContext& step, kernels::BroadcastOp op, std::span<const float> numbers,
               kernels::MatrixView dst) const;

    std::vector<float> m_mean; ///< empty: variables
    std::vector<float> m_variance;
    const bool m_inverts;
    LayerBuffers m_buffers;
    kernels::Broadcast m_channels;
    kernels::Broadcast m_scalar;
    std::vector<float> m_deviations; ///< of each part: they run at the same time
};

std::unique_ptr<Layer> makeNormalizationLayer(const spec::Layer& message);

} // namespace cannery::layers
