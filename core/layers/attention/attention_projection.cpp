// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/attention_projection.h"

namespace cannery::layers {

void AttentionProjection::prepare(const LayerBuffers& buffers, const Options& options)
{
    m_options = options;
    m_kernel = buffers.variables[options.kernel];
    m_bias = options.bias ? buffers.variables[*options.bias] : VariableBuffer();
    m_matmul =
        kernels::Matmul({.rows = options.vectors, .depth = options.depth, .cols = options.cols});
    m_biasGrad = &kernels::biasGradKernels({.rows = options.vectors, .cols = options.cols});
    for (const VariableBuffer* variable : {&m_kernel, &m_bias}) {
        if (variable->gradient != nullptr) {
            variable->gradient->push_back({.rowCount = variable->values.rows});
        }
    }
}

kernels::MatrixView AttentionProjection::kernel() const
{
    return kernels::matrixView(m_kernel.values.flat(), m_options.depth, m_options.cols);
}

void AttentionProjection::forward(const StepContext& step, kernels::ConstMatrixView src,
                                  kernels::MatrixView dst) const
{
    const std::span<const float> bias = m_options.bias ? m_bias.values.flat() : std::span<float>();
    m_matmul.forward(step.pool, src, kernel(), {.bias = bias}, dst);
}

void AttentionProjection::srcGradient(const StepContext& step, kernels::ConstMatrixView dstGrad,
                                      kernels::MatrixView srcGrad) const
{
    m_matmul.srcGradient(step.pool, dstGrad, kernel(), srcGrad);
}

void AttentionProjection::weightsGradient(const StepContext& step, kernels::ConstMatrixView src,
                                          kernels::ConstMatrixView dstGrad) const
{
    if (m_kernel.gradient != nullptr) {
        m_matmul.weightsGradient(step.pool, src, dstGrad,
                                 kernels::matrixView(m_kernel.gradient->front().dense.flat(),
                                                     m_options.depth, m_options.cols));
    }
    if (m_bias.gradient != nullptr) {
        m_biasGrad->run(step.pool, dstGrad, m_bias.gradient->front().dense.flat());
    }
}

} // namespace cannery::layers
