// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/dense/bias_activation.h"
#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/convolution.h"

#include <array>
#include <vector>

namespace cannery::layers {

/// tf.keras.layers.SeparableConv1D and SeparableConv2D: a depthwise convolution, then one of single
/// pixels that mixes the channels, then a bias and an activation. Kernels [window, channels, m] and
/// [1, channels * m, filters], the window having one dimension or two. Strides, dilation and
/// padding are those of the first.
class SeparableConvolutionLayer : public Layer
{
public:
    struct Options
    {
        std::string_view kind; ///< "separable_conv_2d"
        WindowOptions window;
        std::int64_t filters = 0;
        std::int64_t multiplier = 1; ///< m: depth_multiplier
        kernels::Activation activation = kernels::Activation::Linear;
        bool usesBias = true;
    };
    explicit SeparableConvolutionLayer(Options options);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    std::string_view implementation() const override { return m_pointwise.implementation(); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    /// What the depthwise convolution makes of the rows, or its gradient.
    kernels::MatrixView middle(std::vector<float>& memory, const StepContext& step) const;
    std::span<float> kernelGradient(std::size_t index) const;

    Options m_options;
    BiasActivation m_biasActivation;
    LayerBuffers m_buffers;
    kernels::Convolution m_depthwise;
    kernels::Convolution m_pointwise;
    std::vector<float> m_middle;
    std::vector<float> m_middleGrad; ///< empty if nothing below the second kernel is trained
    std::array<std::size_t, 2> m_segments = {}; ///< of the kernels
};

std::unique_ptr<Layer> makeSeparableConv1dLayer(const spec::Layer& message);
std::unique_ptr<Layer> makeSeparableConv2dLayer(const spec::Layer& message);

} // namespace cannery::layers
