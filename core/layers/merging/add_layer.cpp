// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/add_layer.h"

#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

AddLayer::AddLayer()
    : MergingLayer({.kind = "add",
                    .verb = "add",
                    .op = kernels::BroadcastOp::Add,
                    .tensorflowOp = "AddV2",
                    .nodeName = "add"})
{}

/// d(a + b) = da + db: each input gets the gradient of the sum.
void AddLayer::findGradient(const StepContext& step, std::size_t /*index*/,
                            kernels::MatrixView grad)
{
    kernels::vectorKernels().copy(step.pool, buffers().output->gradient(step.range()), grad);
}

Result<void> AddLayer::placeForward(const Placement& placement)
{
    if (repeats()) {
        return MergingLayer::placeForward(placement);
    }
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView dst = program.at(buffers().output->output(placement.rows));
    for (const ValueBuffer* input : buffers().inputs) {
        program.add(kernels::CopyValues{.src = program.at(input->values(placement.rows)),
                                        .dst = dst,
                                        .accumulate = input != buffers().inputs.front()},
                    placement.label);
    }
    return {};
}

Result<void> AddLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const ValueBuffer* input : buffers().inputs) {
        if (input->grad != nullptr) {
            program.add(
                kernels::CopyValues{.src = program.at(buffers().output->gradient(placement.rows)),
                                    .dst = program.at(input->gradient(placement.rows))},
                placement.label);
        }
    }
    return {};
}

std::unique_ptr<Layer> makeAddLayer(const spec::Layer& /*message*/)
{
    return std::make_unique<AddLayer>();
}

} // namespace cannery::layers
