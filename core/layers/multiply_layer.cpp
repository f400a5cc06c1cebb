// SPDX-License-Identifier: Apache-2.0
#include "core/layers/multiply_layer.h"

#include "core/layers/layer_errors.h"
#include "core/layers/lookup.h"
#include "kernels/ops/vector_ops.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kFactorShapes{
    "layers.multiply_shapes",
    "Cannot multiply '{}' of shape {} by '{}' of shape {}: the inputs of a "
    "multiply layer must have the same shape."};

} // namespace

Result<LayerSignature> MultiplyLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectSeveralDense("multiply", inputs));
    if (const graph::Value* other = otherShape(inputs)) {
        return fail(ErrorCode::InvalidArgument, kFactorShapes, other->name,
                    graph::shapeText(*other), inputs[0]->name, graph::shapeText(*inputs[0]));
    }
    return signatureLike(*inputs[0]);
}

void MultiplyLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void MultiplyLayer::forward(const StepContext& step)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    kernels.copy(step.pool, m_buffers.inputs[0]->values(step.range()), dst);
    for (std::size_t index = 1; index < m_buffers.inputs.size(); ++index) {
        kernels.multiply(step.pool, m_buffers.inputs[index]->values(step.range()), dst);
    }
}

void MultiplyLayer::backward(const StepContext& step)
{
    // d(abc)/da = bc: by products, since a quotient would be 0 / 0 where an input is 0.
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    for (std::size_t index = 0; index < m_buffers.inputs.size(); ++index) {
        if (m_buffers.inputs[index]->grad == nullptr) {
            continue;
        }
        const kernels::MatrixView grad = m_buffers.inputs[index]->gradient(step.range());
        kernels.copy(step.pool, m_buffers.output->gradient(step.range()), grad);
        for (std::size_t other = 0; other < m_buffers.inputs.size(); ++other) {
            if (other != index) {
                kernels.multiply(step.pool, m_buffers.inputs[other]->values(step.range()), grad);
            }
        }
    }
}

storage::EmittedValue MultiplyLayer::emit(const EmitContext& context) const
{
    storage::NodeRef product = nodeRef(context.inputs[0].dense);
    for (std::size_t index = 1; index < context.inputs.size(); ++index) {
        product = context.graph.add("Mul", "mul", {product, nodeRef(context.inputs[index].dense)},
                                    {{"T", DType::Float32}});
    }
    return {.dense = product.input()};
}

std::unique_ptr<Layer> makeMultiplyLayer(const spec::Layer&)
{
    return std::make_unique<MultiplyLayer>();
}

} // namespace cannery::layers
