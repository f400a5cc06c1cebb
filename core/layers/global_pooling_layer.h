// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/global_pooling.h"

namespace cannery::layers {

/// What the global poolings share: of an image, one number for each channel.
class GlobalPoolingLayer : public Layer
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
    struct Gradient
    {
        kernels::ConstMatrixView src;
        kernels::ConstMatrixView dst;
        kernels::ConstMatrixView dstGrad;
        kernels::MatrixView srcGrad;
    };
    /// `op` is TensorFlow's reduction.
    GlobalPoolingLayer(std::string_view kind, const char* op, bool keepsDimensions)
        : m_kind(kind), m_op(op), m_keepsDimensions(keepsDimensions)
    {}
    virtual void pool(const StepContext& step, kernels::ConstMatrixView src,
                      kernels::MatrixView dst) const = 0;
    virtual void poolGradient(const StepContext& step, const Gradient& gradient) const = 0;
    const kernels::GlobalPoolingKernels& kernel() const { return *m_kernels; }

private:
    std::string_view m_kind;
    const char* m_op;
    bool m_keepsDimensions = false;
    LayerBuffers m_buffers;
    const kernels::GlobalPoolingKernels* m_kernels = nullptr;
};

} // namespace cannery::layers
