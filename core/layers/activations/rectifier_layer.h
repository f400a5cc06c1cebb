// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/parametric_activation.h"

#include <string_view>

namespace cannery::layers {

/// What relu, leaky_relu and thresholded_relu share: number by number, x above a threshold, up to a
/// cap, else a slope (kernels/math/parametric_activations.h).
class RectifierLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    struct Options
    {
        float slope = 0.0F;
        float threshold = 0.0F;
        float cap = std::numeric_limits<float>::infinity();
    };
    RectifierLayer(std::string_view kind, const Options& options);

private:
    std::string_view m_kind;
    kernels::Rectifier m_unit;
    LayerBuffers m_buffers;
    const kernels::ParametricActivationKernels* m_kernels = nullptr;
};

} // namespace cannery::layers
