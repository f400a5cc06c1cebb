// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/layers/layer_buffers.h"
#include "kernels/ops/activation.h"
#include "kernels/ops/bias_grad.h"
#include "kernels/ops/matmul.h"

#include <optional>

namespace cannery::layers {

/// A product of vectors with a variable of the layer that owns it, and a bias: dst = src kernel +
/// bias, [vectors, depth] to [vectors, cols]. The variables' shapes may be finer than a matrix.
class AttentionProjection
{
public:
    struct Options
    {
        std::size_t kernel = 0; ///< index of the variable
        std::optional<std::size_t> bias;
        std::int64_t vectors = 0; ///< at most
        std::int64_t depth = 0;
        std::int64_t cols = 0;
    };

    /// Appends its gradient segments to the variables that are trained.
    void prepare(const LayerBuffers& buffers, const Options& options);
    void forward(const StepContext& step, kernels::ConstMatrixView src,
                 kernels::MatrixView dst) const;
    void srcGradient(const StepContext& step, kernels::ConstMatrixView dstGrad,
                     kernels::MatrixView srcGrad) const;
    /// Of the variables, over all vectors.
    void weightsGradient(const StepContext& step, kernels::ConstMatrixView src,
                         kernels::ConstMatrixView dstGrad) const;
    /// Multiplications of a vector.
    std::int64_t cost() const { return m_options.depth * m_options.cols; }
    std::string_view implementation() const { return m_matmul.implementation(); }

private:
    kernels::MatrixView kernel() const;

    Options m_options;
    VariableBuffer m_kernel;
    VariableBuffer m_bias;
    kernels::Matmul m_matmul;
    const kernels::BiasGradKernels* m_biasGrad = nullptr;
};

} // namespace cannery::layers
