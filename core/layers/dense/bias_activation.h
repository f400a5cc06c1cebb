// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/convolution.h"

#include <vector>

namespace cannery::layers {

/// What follows the product of any convolution: activation(product + bias), the bias being the last
/// variable of the layer. The gradient of the activation reads its output where that is enough, so
/// only few functions keep the sums. Buffers are the layer's; passes take the whole batch.
class BiasActivation
{
public:
    BiasActivation(kernels::Activation activation, bool usesBias);

    /// Appends the bias to the layer's variables.
    void addVariable(LayerSignature& signature, std::int64_t filters) const;
    /// Appends the segment of the bias, if it is trained.
    void prepare(const LayerBuffers& buffers, std::int64_t filters);

    /// Where the product goes.
    kernels::MatrixView target(const StepContext& step);
    /// What a kernel adds to the product in passing; finish() does what it leaves.
    kernels::ConvolutionEpilogue epilogue() const;
    void finish(const StepContext& step);
    /// Both, for a kernel that has no epilogue.
    void apply(const StepContext& step);

    /// From the output's gradient, which it overwrites, to that of the bias and of the product: the
    /// latter is returned.
    kernels::MatrixView backward(const StepContext& step);

    storage::EmittedValue emit(const EmitContext& context, const storage::NodeRef& product) const;

private:
    std::span<const float> bias() const;

    kernels::Activation m_activation;
    bool m_usesBias = true;
    bool m_keepsInput = false; ///< the activation's gradient needs its input
    LayerBuffers m_buffers;
    std::int64_t m_filters = 0;
    std::vector<float> m_sums; ///< input of the activation, if kept
    const kernels::ActivationKernels* m_activationKernels = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
    std::size_t m_biasSegment = 0;
};

} // namespace cannery::layers
