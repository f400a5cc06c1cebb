// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/reshape_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kTarget{"layers.reshape_target",
                            "A row of '{}' has {} numbers ({}), and target_shape asks for {}: give "
                            "dimensions whose product is {}."};
constexpr ErrorKind kDimension{
    "layers.reshape_dimension",
    "The dimensions of target_shape are at least 1, but for one that may be -1: {} is not."};

/// The target with its -1 replaced; 0 where the number of values does not fit.
std::vector<std::int64_t> settled(std::vector<std::int64_t> target, std::int64_t width)
{
    std::int64_t known = 1;
    for (const std::int64_t size : target) {
        // A product beyond the width cannot fit, and must not overflow.
        known = size < 0 ? known : std::min(known, width) * std::min(size, width + 1);
    }
    const auto open = std::ranges::find(target, -1);
    if (open != target.end()) {
        *open = width % known == 0 ? width / known : 0;
        return target;
    }
    return known == width ? target : std::vector<std::int64_t>{0};
}

} // namespace

ReshapeLayer::ReshapeLayer(const spec::ReshapeLayer& message)
    : m_target(message.target_shape().begin(), message.target_shape().end())
{}

Result<LayerSignature> ReshapeLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_kind, inputs, 1));
    CANNERY_TRY(expectDense(m_kind, *inputs[0]));
    std::int64_t open = 0;
    for (const std::int64_t size : m_target) {
        if (size < -1 || size == 0 || (size == -1 && ++open > 1)) {
            return fail(ErrorCode::InvalidArgument, kDimension, Shape(m_target).toString());
        }
    }
    const graph::Value& input = *inputs[0];
    const std::vector<std::int64_t> shape = settled(m_target, input.width);
    if (std::ranges::find(shape, 0) != shape.end()) {
        return fail(ErrorCode::InvalidArgument, kTarget, input.name, input.width,
                    graph::shapeText(input), Shape(m_target).toString(), input.width);
    }
    LayerSignature signature;
    signature.output.width = input.width;
    signature.output.shape = shape;
    return signature;
}

void ReshapeLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void ReshapeLayer::forward(const StepContext& step)
{
    // Rows are contiguous whatever their shape, so a copy is all there is. An input may be the
    // batch's own memory, which differs from step to step: sharing memory would need a new pointer
    // in every pass.
    kernels::vectorKernels().copy(step.pool, m_buffers.inputs[0]->values(step.range()),
                                  m_buffers.output->output(step.range()));
}

void ReshapeLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        kernels::vectorKernels().copy(step.pool, m_buffers.output->gradient(step.range()),
                                      m_buffers.inputs[0]->gradient(step.range()));
    }
}

Result<void> ReshapeLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    program.add(kernels::CopyValues{.src = program.at(m_buffers.inputs[0]->values(placement.rows)),
                                    .dst = program.at(m_buffers.output->output(placement.rows))},
                placement.label);
    return {};
}

Result<void> ReshapeLayer::placeBackward(const Placement& placement)
{
    if (m_buffers.inputs[0]->grad != nullptr) {
        kernels::AcceleratorProgram& program = placement.program;
        program.add(
            kernels::CopyValues{.src = program.at(m_buffers.output->gradient(placement.rows)),
                                .dst = program.at(m_buffers.inputs[0]->gradient(placement.rows))},
            placement.label);
    }
    return {};
}

storage::EmittedValue ReshapeLayer::emit(const EmitContext& context) const
{
    std::vector<std::int32_t> shape{-1};
    for (const std::int64_t size : graph::rowShape(context.layers.value(context.node.output))) {
        shape.push_back(static_cast<std::int32_t>(size));
    }
    const storage::FloatNodes nodes(context.graph);
    return {.dense = nodes.reshape(nodeRef(context.inputs[0].dense), shape).input()};
}

std::unique_ptr<Layer> makeReshapeLayer(const spec::Layer& message)
{
    return std::make_unique<ReshapeLayer>(message.reshape());
}

} // namespace cannery::layers
