// SPDX-License-Identifier: Apache-2.0
#include "core/layers/add_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/lookup.h"
#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kShapes{"layers.add_shapes",
                            "Cannot add '{}' of shape {} to '{}' of shape {}; the inputs of an add "
                            "layer must have the same shape."};

} // namespace

Result<LayerSignature> AddLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectSeveralDense("add", inputs));
    if (const graph::Value* other = otherShape(inputs)) {
        return fail(ErrorCode::InvalidArgument, kShapes, other->name, graph::shapeText(*other),
                    inputs[0]->name, graph::shapeText(*inputs[0]));
    }
    return signatureLike(*inputs[0]);
}

void AddLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void AddLayer::forward(const StepContext& step)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    // The first input is copied, the others are added: no pass to clear the sum.
    kernels.copy(step.pool, m_buffers.inputs[0]->values(step.range()), dst);
    for (std::size_t index = 1; index < m_buffers.inputs.size(); ++index) {
        kernels.add(step.pool, m_buffers.inputs[index]->values(step.range()), dst);
    }
}

void AddLayer::backward(const StepContext& step)
{
    // d(a + b) = da + db: each input gets the gradient of the sum.
    for (const ValueBuffer* input : m_buffers.inputs) {
        if (input->grad != nullptr) {
            kernels::vectorKernels().copy(step.pool, m_buffers.output->gradient(step.range()),
                                          input->gradient(step.range()));
        }
    }
}

Result<void> AddLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView dst = program.at(m_buffers.output->output(placement.rows));
    for (const ValueBuffer* input : m_buffers.inputs) {
        program.add(kernels::CopyValues{.src = program.at(input->values(placement.rows)),
                                        .dst = dst,
                                        .accumulate = input != m_buffers.inputs.front()},
                    placement.label);
    }
    return {};
}

Result<void> AddLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    for (const ValueBuffer* input : m_buffers.inputs) {
        if (input->grad != nullptr) {
            program.add(
                kernels::CopyValues{.src = program.at(m_buffers.output->gradient(placement.rows)),
                                    .dst = program.at(input->gradient(placement.rows))},
                placement.label);
        }
    }
    return {};
}

storage::EmittedValue AddLayer::emit(const EmitContext& context) const
{
    storage::NodeRef sum = nodeRef(context.inputs[0].dense);
    for (std::size_t index = 1; index < context.inputs.size(); ++index) {
        sum = context.graph.add("AddV2", "add", {sum, nodeRef(context.inputs[index].dense)},
                                {{"T", DType::Float32}});
    }
    return {.dense = sum.input()};
}

std::unique_ptr<Layer> makeAddLayer(const spec::Layer&)
{
    return std::make_unique<AddLayer>();
}

} // namespace cannery::layers
