// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/noise/random_layer.h"
#include "kernels/ops/noise.h"

#include <string_view>

namespace cannery::layers {

/// What gaussian_noise, gaussian_dropout and alpha_dropout share: noise in training, decided by
/// (seed, layer, step, row, unit), see kernels/ops/noise.h; otherwise passes through.
class NoiseLayer : public RandomLayer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    storage::EmittedValue emitTraining(const EmitContext& context,
                                       std::vector<storage::NodeRef>& updates) const override;

protected:
    /// No noise if the amount is 0.
    NoiseLayer(std::string_view kind, kernels::NoiseRule rule, float amount)
        : m_kind(kind), m_rule(rule), m_amount(amount)
    {}

private:
    bool isActive() const override { return m_amount > 0.0F; }
    void draw(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
              kernels::MatrixView dst) override;
    kernels::Noise noiseOf(const StepContext& step) const;

    std::string_view m_kind;
    kernels::NoiseRule m_rule;
    float m_amount;
    const kernels::NoiseKernels* m_kernels = nullptr;
};

} // namespace cannery::layers
