// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "core/layers/windows/image_window.h"
#include "kernels/ops/global_pooling.h"
#include "kernels/ops/pooling.h"

namespace cannery::layers {

/// What the global poolings share: of an image or a sequence, one number for each channel. A mean
/// over steps may have a second input, a mask of rows of shape [steps], where 0 hides a step.
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
    struct Options
    {
        std::string_view kind; ///< "global_max_pooling_2d"
        kernels::PoolingRule rule = kernels::PoolingRule::Max;
        WindowsOver over = WindowsOver::Pixels;
        bool keepsDimensions = false; ///< as 1: keepdims
        bool takesMask = false;       ///< of steps; only with the rule Average
    };
    explicit GlobalPoolingLayer(const Options& options) : m_options(options) {}

private:
    void forwardMasked(const StepContext& step);
    void backwardMasked(const StepContext& step);
    storage::EmittedValue emitMasked(const EmitContext& context) const;

    Options m_options;
    LayerBuffers m_buffers;
    const kernels::GlobalPoolingKernels* m_kernels = nullptr;
};

} // namespace cannery::layers
