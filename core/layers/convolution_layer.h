// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/image_window.h"
#include "core/layers/layer.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/convolution.h"

namespace cannery::layers {

/// What the two convolutions of images share: activation(sum over windows + bias), by the kernels'
/// planned convolution. The gradient of the activation reads its output where that is enough, so
/// only few functions keep the sums.
class ConvolutionLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    std::string_view implementation() const override { return m_convolution.implementation(); }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    /// As the message says; the number of filters and groups may depend on the input's channels.
    struct Options
    {
        std::string_view kind; ///< "conv_2d"
        WindowOptions window;
        kernels::Activation activation = kernels::Activation::Linear;
        bool usesBias = true;
    };
    struct Channels
    {
        std::int64_t filters = 0;
        std::int64_t groups = 1;
    };
    explicit ConvolutionLayer(Options options);

    /// For images of so many channels.
    virtual Channels channelsOf(std::int64_t channels) const = 0;
    /// Whether such images can be the input.
    virtual Result<void> check(const graph::Value& input, std::int64_t channels) const = 0;
    /// The kernel's variable, without its shape's first two dimensions: the window.
    virtual LayerVariable kernelVariable(std::int64_t channels) const = 0;
    /// The product with the kernel, without bias.
    virtual storage::NodeRef emitProduct(const EmitContext& context,
                                         const ImageWindow& window) const = 0;

    const Options& options() const { return m_options; }

private:
    /// Where the input of the activation goes.
    kernels::MatrixView sums(const StepContext& step);

    Options m_options;
    bool m_keepsInput = false; ///< the activation's gradient needs its input
    LayerBuffers m_buffers;
    kernels::Convolution m_convolution;
    std::vector<float> m_sums; ///< input of the activation, if kept
    const kernels::ActivationKernels* m_activationKernels = nullptr;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
    std::size_t m_kernelSegment = 0;
    std::size_t m_biasSegment = 0;
};

} // namespace cannery::layers
