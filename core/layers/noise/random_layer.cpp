// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/random_layer.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

void RandomLayer::pass(const StepContext& step, Pass pass, kernels::ConstMatrixView src,
                       kernels::MatrixView dst)
{
    if (step.mode == Mode::Train && isActive()) {
        draw(step, pass, src, dst);
    } else {
        passThrough(step, pass, src, dst);
    }
}

void RandomLayer::passThrough(const StepContext& step, Pass /*pass*/, kernels::ConstMatrixView src,
                              kernels::MatrixView dst)
{
    kernels::vectorKernels().copy(step.pool, src, dst);
}

void RandomLayer::forward(const StepContext& step)
{
    pass(step, Pass::Forward, m_buffers.inputs[0]->values(step.range()),
         m_buffers.output->output(step.range()));
}

void RandomLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        pass(step, Pass::Backward, m_buffers.output->gradient(step.range()),
             m_buffers.inputs[0]->gradient(step.range()));
    }
}

storage::EmittedValue RandomLayer::emit(const EmitContext& context) const
{
    return context.inputs[0];
}

} // namespace cannery::layers
