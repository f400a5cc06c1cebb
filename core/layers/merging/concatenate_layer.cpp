// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/concatenate_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/row_axes.h"
#include "kernels/ops/vector_ops.h"

#include <functional>
#include <numeric>

namespace cannery::layers {

namespace {

constexpr ErrorKind kBesideShapes{
    "layers.concatenate_shapes",
    "Cannot put '{}' of shape {} beside '{}' of shape {} along dimension {}: their other "
    "dimensions "
    "must be equal. Give them the same shape there, for example by reshape."};

bool fitBeside(std::vector<std::int64_t> left, const std::vector<std::int64_t>& right,
               std::size_t axis)
{
    if (left.size() != right.size()) {
        return false;
    }
    left[axis] = right[axis];
    return left == right;
}

} // namespace

Result<LayerSignature>
ConcatenateLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectSeveralDense("concatenate", inputs));
    CANNERY_TRY_ASSIGN(const std::size_t axis, rowAxis("concatenate", *inputs[0], m_axis));
    LayerSignature signature;
    signature.output.shape = graph::rowShape(*inputs[0]);
    signature.output.width = inputs[0]->width;
    for (const graph::Value* input : inputs.subspan(1)) {
        const std::vector<std::int64_t> shape = graph::rowShape(*input);
        if (!fitBeside(shape, signature.output.shape, axis)) {
            return fail(ErrorCode::InvalidArgument, kBesideShapes, input->name,
                        graph::shapeText(*input), inputs[0]->name, graph::shapeText(*inputs[0]),
                        axis + 1);
        }
        signature.output.shape[axis] += shape[axis];
        signature.output.width += input->width;
    }
    return signature;
}

std::int64_t ConcatenateLayer::together(const std::vector<std::int64_t>& shape) const
{
    const auto axis = static_cast<std::ptrdiff_t>(rowAxis(shape.size(), m_axis));
    return std::accumulate(shape.begin() + axis, shape.end(), std::int64_t{1}, std::multiplies<>());
}

void ConcatenateLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void ConcatenateLayer::forward(const StepContext& step)
{
    const std::int64_t size = together(m_buffers.output->shape);
    const kernels::MatrixView dst = byLastAxis(m_buffers.output->output(step.range()), size);
    std::int64_t first = 0;
    for (const ValueBuffer* input : m_buffers.inputs) {
        const std::int64_t own = together(input->shape);
        kernels::vectorKernels().copy(step.pool, byLastAxis(input->values(step.range()), own),
                                      dst.columns(first, own));
        first += own;
    }
}

void ConcatenateLayer::backward(const StepContext& step)
{
    const std::int64_t size = together(m_buffers.output->shape);
    const kernels::ConstMatrixView grad =
        byLastAxis(m_buffers.output->gradient(step.range()), size);
    std::int64_t first = 0;
    for (const ValueBuffer* input : m_buffers.inputs) {
        const std::int64_t own = together(input->shape);
        if (input->grad != nullptr) {
            kernels::vectorKernels().copy(step.pool, grad.columns(first, own),
                                          byLastAxis(input->gradient(step.range()), own));
        }
        first += own;
    }
}

Result<void> ConcatenateLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView dst = program.at(
        byLastAxis(m_buffers.output->output(placement.rows), together(m_buffers.output->shape)));
    std::int64_t first = 0;
    for (const ValueBuffer* input : m_buffers.inputs) {
        const std::int64_t own = together(input->shape);
        program.add(
            kernels::CopyValues{.src = program.at(byLastAxis(input->values(placement.rows), own)),
                                .dst = dst.columns(first, own)},
            placement.label);
        first += own;
    }
    return {};
}

Result<void> ConcatenateLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView grad = program.at(
        byLastAxis(m_buffers.output->gradient(placement.rows), together(m_buffers.output->shape)));
    std::int64_t first = 0;
    for (const ValueBuffer* input : m_buffers.inputs) {
        const std::int64_t own = together(input->shape);
        if (input->grad != nullptr) {
            program.add(kernels::CopyValues{.src = grad.columns(first, own),
                                            .dst = program.at(
                                                byLastAxis(input->gradient(placement.rows), own))},
                        placement.label);
        }
        first += own;
    }
    return {};
}

storage::EmittedValue ConcatenateLayer::emit(const EmitContext& context) const
{
    std::vector<storage::NodeRef> inputs;
    for (const storage::EmittedValue& input : context.inputs) {
        inputs.push_back(nodeRef(input.dense));
    }
    const auto count = static_cast<std::int64_t>(inputs.size());
    // Counted from the front, the batch being dimension 0.
    const std::size_t rank = graph::rowShape(context.layers.value(context.node.output)).size();
    inputs.push_back(context.graph.constant("concat/axis",
                                            static_cast<std::int32_t>(rowAxis(rank, m_axis) + 1)));
    return {.dense = context.graph
                         .add("ConcatV2", "concat", inputs,
                              {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}})
                         .input()};
}

std::unique_ptr<Layer> makeConcatenateLayer(const spec::Layer& message)
{
    return std::make_unique<ConcatenateLayer>(message.concatenate().axis());
}

} // namespace cannery::layers
