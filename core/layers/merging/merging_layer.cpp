// SPDX-License-Identifier: Apache-2.0
#include "core/layers/merging/merging_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kMergedShapes{
    "layers.merged_shapes",
    "Cannot {} '{}' of shape {} and '{}' of shape {}: counted from the last one, their dimensions "
    "must be equal, or 1 on one side. Give them the same shape, for example by reshape."};

/// Empty if they do not fit.
std::vector<std::int64_t> mergedShape(std::vector<std::int64_t> left,
                                      std::vector<std::int64_t> right)
{
    const std::size_t rank = std::max(left.size(), right.size());
    left.insert(left.begin(), rank - left.size(), 1);
    right.insert(right.begin(), rank - right.size(), 1);
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (left[axis] != right[axis] && left[axis] != 1 && right[axis] != 1) {
            return {};
        }
        left[axis] = std::max(left[axis], right[axis]);
    }
    return left;
}

} // namespace

Result<LayerSignature> MergingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    if (m_options.takesTwo) {
        CANNERY_TRY(expectInputs(m_options.kind, inputs, 2));
    }
    CANNERY_TRY(expectSeveralDense(m_options.kind, inputs));
    graph::Value merged = *inputs[0];
    for (const graph::Value* input : inputs.subspan(1)) {
        const std::vector<std::int64_t> shape =
            mergedShape(graph::rowShape(merged), graph::rowShape(*input));
        if (shape.empty()) {
            return fail(ErrorCode::InvalidArgument, kMergedShapes, m_options.verb, inputs[0]->name,
                        graph::shapeText(merged), input->name, graph::shapeText(*input));
        }
        merged.width = Shape(shape).elementCount();
        merged.shape = shape.size() > 1 ? shape : std::vector<std::int64_t>();
    }
    return signatureLike(merged);
}

void MergingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_broadcasts.clear();
    m_scalar = kernels::broadcastOver({}, buffers.output->shape);
    bool needsMemory = false;
    for (const ValueBuffer* input : buffers.inputs) {
        m_broadcasts.push_back(kernels::broadcastOver(input->shape, buffers.output->shape));
        needsMemory = needsMemory || m_broadcasts.back().repeats() ||
                      (m_options.sharesGradient && input->grad == nullptr);
    }
    m_grads.resize(needsMemory ? static_cast<std::size_t>(buffers.maxRows * buffers.output->width)
                               : 0);
}

void MergingLayer::apply(const StepContext& step, kernels::BroadcastOp op, std::size_t index,
                         kernels::MatrixView dst) const
{
    kernels::broadcastKernels().apply(step.pool, m_broadcasts[index], op,
                                      m_buffers.inputs[index]->values(step.range()), dst);
}

void MergingLayer::divideByCount(const StepContext& step, kernels::MatrixView dst) const
{
    const auto count = static_cast<float>(m_buffers.inputs.size());
    kernels::broadcastKernels().apply(step.pool, m_scalar, kernels::BroadcastOp::Divide,
                                      {&count, dst.rows, 1, 0}, dst);
}

bool MergingLayer::repeats() const
{
    return std::ranges::any_of(m_broadcasts, &kernels::Broadcast::repeats);
}

void MergingLayer::forward(const StepContext& step)
{
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    // The first input is copied: no pass to clear the result.
    apply(step, kernels::BroadcastOp::Copy, 0, dst);
    for (std::size_t index = 1; index < m_buffers.inputs.size(); ++index) {
        apply(step, m_options.op, index, dst);
    }
}

void MergingLayer::backward(const StepContext& step)
{
    const std::int64_t width = m_buffers.output->width;
    const kernels::MatrixView all{m_grads.data() + step.range().first * width, step.range().count,
                                  width, width};
    for (std::size_t index = 0; index < m_buffers.inputs.size(); ++index) {
        const ValueBuffer& input = *m_buffers.inputs[index];
        if (input.grad == nullptr) {
            if (m_options.sharesGradient) {
                findGradient(step, index, all);
            }
        } else if (m_broadcasts[index].repeats()) {
            findGradient(step, index, all);
            kernels::broadcastKernels().sum(step.pool, m_broadcasts[index], all,
                                            input.gradient(step.range()));
        } else {
            findGradient(step, index, input.gradient(step.range()));
        }
    }
}

storage::EmittedValue MergingLayer::emit(const EmitContext& context) const
{
    const auto rankOf = [&](std::size_t index) {
        return graph::rowShape(context.layers.value(context.node.inputs[index])).size();
    };
    std::size_t rank = 0;
    for (std::size_t index = 0; index < context.inputs.size(); ++index) {
        rank = std::max(rank, rankOf(index));
    }
    // TensorFlow would put missing dimensions before the batch.
    const auto aligned = [&](std::size_t index) {
        storage::NodeRef input = nodeRef(context.inputs[index].dense);
        for (std::size_t missing = rankOf(index); missing < rank; ++missing) {
            input = context.graph.add(
                "ExpandDims", "ExpandDims",
                {input, context.graph.constant("ExpandDims/dim", std::int32_t{1})},
                {{"T", DType::Float32}, {"Tdim", DType::Int32}});
        }
        return input;
    };
    storage::NodeRef merged = aligned(0);
    for (std::size_t index = 1; index < context.inputs.size(); ++index) {
        merged = context.graph.add(m_options.tensorflowOp, m_options.nodeName,
                                   {merged, aligned(index)}, {{"T", DType::Float32}});
    }
    return {.dense = merged.input()};
}

} // namespace cannery::layers
