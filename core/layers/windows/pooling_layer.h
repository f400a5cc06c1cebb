// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/pooling.h"

namespace cannery::layers {

/// What max and average pooling share: windows over each channel of an image or a sequence.
class PoolingLayer : public Layer
{
public:
    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    std::string_view implementation() const override { return m_pooling->name; }
    storage::EmittedValue emit(const EmitContext& context) const override;

protected:
    struct Options
    {
        std::string_view kind; ///< "max_pooling_2d"
        const char* op;        ///< TensorFlow's
        kernels::PoolingRule rule = kernels::PoolingRule::Max;
        WindowOptions window; ///< without strides it moves by its own size
    };
    explicit PoolingLayer(Options options);

    /// Of the message of either, over steps.
    template <typename Message>
    static WindowOptions windowOverSteps(const Message& message)
    {
        WindowOptions window{.over = WindowsOver::Steps,
                             .size = {message.pool_size()},
                             .strides = {},
                             .dilation = {},
                             .padding = message.padding()};
        if (message.has_stride()) {
            window.strides.push_back(message.stride());
        }
        return window;
    }
    /// And over pixels.
    template <typename Message>
    static WindowOptions windowOf(const Message& message)
    {
        return {.size = {message.pool_size().begin(), message.pool_size().end()},
                .strides = {message.strides().begin(), message.strides().end()},
                .padding = message.padding()};
    }

private:
    Options m_options;
    LayerBuffers m_buffers;
    kernels::PoolingProblem m_problem;
    const kernels::PoolingImplementation* m_pooling = nullptr;
};

} // namespace cannery::layers
