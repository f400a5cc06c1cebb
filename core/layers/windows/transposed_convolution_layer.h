// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/dense/bias_activation.h"
#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/convolution.h"

#include <optional>

namespace cannery::layers {

/// tf.keras.layers.Conv1DTranspose and Conv2DTranspose: activation(adjoint of a convolution of
/// images as large as the output + bias), so that each pixel of the input adds a window to the
/// output. The kernel is [window, filters, channels], the window having one dimension or two.
///
/// Along an axis of n pixels, with reach e = (kernel_size - 1) dilation + 1 and stride s, the
/// output has (Keras's deconv_output_length)
///     same: n s    valid: n s + max(e - s, 0)
///     with output_padding p:  (n - 1) s + e + p - (same: 2 floor(e / 2), valid: 0)
class TransposedConvolutionLayer : public Layer
{
public:
    struct Options
    {
        std::string_view kind;                   ///< "conv_2d_transpose"
        WindowOptions window;                    ///< over the output; never causal
        std::vector<std::int64_t> outputPadding; ///< one or two numbers; none: not given
        std::int64_t filters = 0;
        kernels::Activation activation = kernels::Activation::Linear;
        bool usesBias = true;
    };
    explicit TransposedConvolutionLayer(Options options);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    std::string_view implementation() const override { return m_convolution.implementation(); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// Over the output for an input of this size.
    ImageWindow windowOf(const ImageSize& image) const;

    Options m_options;
    BiasActivation m_biasActivation;
    LayerBuffers m_buffers;
    kernels::Convolution m_convolution; ///< from the output's images to the input's
    std::size_t m_kernelSegment = 0;
};

std::unique_ptr<Layer> makeConv1dTransposeLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeConv2dTransposeLayer(const spec::Layer& message);

} // namespace cannery::layers
