// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/broadcast.h"

namespace cannery::layers {

/// Two or more dense values merged number by number, one after the other. As in TensorFlow, rows of
/// fewer dimensions have more of size 1 in front, and along a dimension of size 1 numbers are
/// repeated: [3, 1] and [1, 4] give [3, 4]. The gradient of what was repeated is a sum.
class MergingLayer : public Layer
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
        std::string_view kind; ///< for messages: "add"
        std::string_view verb; ///< "add", "multiply": for them, too
        kernels::BroadcastOp op = kernels::BroadcastOp::Add;
        const char* tensorflowOp = nullptr;
        const char* nodeName = nullptr; ///< Keras's
        bool takesTwo = false;          ///< instead of two or more
        /// Gradients are found input after input, those that nothing asks for as well.
        bool sharesGradient = false;
    };

    explicit MergingLayer(const Options& options) : m_options(options) {}

    /// To `grad`, as wide as the output: the gradient of input `index` if it is not repeated.
    virtual void findGradient(const StepContext& step, std::size_t index,
                              kernels::MatrixView grad) = 0;
    /// dst = dst op the input, repeated.
    void apply(const StepContext& step, kernels::BroadcastOp op, std::size_t index,
               kernels::MatrixView dst) const;
    /// dst /= the number of inputs.
    void divideByCount(const StepContext& step, kernels::MatrixView dst) const;

    const LayerBuffers& buffers() const { return m_buffers; }
    const kernels::Broadcast& broadcast(std::size_t index) const { return m_broadcasts[index]; }
    /// Whether an input has another shape than the output.
    bool repeats() const;

private:
    const Options m_options;
    LayerBuffers m_buffers;
    std::vector<kernels::Broadcast> m_broadcasts; ///< by input
    kernels::Broadcast m_scalar;                  ///< one number beside the output
    /// Gradients as wide as the output, of inputs that are repeated or ask for none.
    std::vector<float> m_grads;
};

} // namespace cannery::layers
