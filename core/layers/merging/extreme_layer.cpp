// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/extreme_layer.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

/// Input after input takes its share out of the gradient of the output, and the last one the rest:
/// max(a, b) gives a where a >= b, which NaN never is.
void ExtremeLayer::findGradient(const StepContext& step, std::size_t index,
                                kernels::MatrixView grad)
{
    const ValueBuffer& output = *buffers().output;
    if (index + 1 == buffers().inputs.size()) {
        kernels::vectorKernels().copy(step.pool, output.gradient(step.range()), grad);
        return;
    }
    kernels::broadcastKernels().take(
        step.pool, broadcast(index), buffers().inputs[index]->values(step.range()),
        output.values(step.range()), output.gradient(step.range()), grad);
}

} // namespace cannery::layers
