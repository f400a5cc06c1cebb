// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/dense/bias_activation.h"
#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/convolution.h"

namespace cannery::layers {

/// What the convolutions of images and of sequences share: activation(sum over windows + bias), by
/// the kernels' planned convolution.
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
        bool isDepthwise = false; ///< TensorFlow has an operation of its own for it
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
    /// The kernel's variable, without its shape's first dimensions: the window.
    virtual LayerVariable kernelVariable(std::int64_t channels) const = 0;

private:
    Options m_options;
    BiasActivation m_biasActivation;
    LayerBuffers m_buffers;
    kernels::Convolution m_convolution;
    std::size_t m_kernelSegment = 0;
};

} // namespace cannery::layers
