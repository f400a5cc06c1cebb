// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer.h"
#include "kernels/ops/strided_copy.h"

#include <vector>

namespace cannery::layers {

/// tf.keras.layers.Permute: the dimensions of each row in another order; dimension i of the output
/// is dimension dims[i] of the input, counted from 1.
class PermuteLayer : public Layer
{
public:
    explicit PermuteLayer(const spec::PermuteLayer& message);

    Result<LayerSignature> signature(std::span<const graph::Value* const> inputs) const override;
    void prepare(const LayerBuffers& buffers) override;
    void forward(const StepContext& step) override;
    void backward(const StepContext& step) override;
    bool runsByRows() const override { return true; }
    void backwardRows(const StepContext& part) override { backward(part); }
    storage::EmittedValue emit(const EmitContext& context) const override;

private:
    std::vector<std::int64_t> m_dims;
    LayerBuffers m_buffers;
    kernels::StridedCopyProblem m_copy;
    const kernels::StridedCopyKernels* m_kernels = nullptr;
};

std::unique_ptr<Layer> makePermuteLayer(const spec::Layer& message);

} // namespace cannery::layers
