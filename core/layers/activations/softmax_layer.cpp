// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/softmax_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/row_axes.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <numeric>

namespace cannery::layers {

namespace {

constexpr ErrorKind kSoftmaxMask{"layers.softmax_mask",
                                 "The mask '{}' has rows of shape {}, and '{}' of shape {}: a mask "
                                 "needs the shape of what it hides."};

constexpr float kLowered = -1e9F;

/// dst[c] = src[places[c]] of every row, or the other way round.
enum class OrderDirection
{
    Gather,
    Scatter,
};

void reorderNumbers(const StepContext& step, std::span<const std::int32_t> places,
                    OrderDirection direction, kernels::ConstMatrixView src, kernels::MatrixView dst)
{
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.at(r);
            float* to = dst.at(r);
            for (std::size_t c = 0; c < places.size(); ++c) {
                if (direction == OrderDirection::Gather) {
                    to[c] = from[places[c]];
                } else {
                    to[places[c]] = from[c];
                }
            }
        }
    });
}

void lowerHidden(const StepContext& step, kernels::ConstMatrixView mask, kernels::MatrixView dst)
{
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                dst.at(r)[c] += mask.at(r)[c] == 0.0F ? kLowered : 0.0F;
            }
        }
    });
}

} // namespace

/// The dimensions of a row, those that add up to 1 last.
struct SoftmaxLayer::Order
{
    std::vector<std::int32_t> axes; ///< from 0 on
    bool isIdentity = true;
    std::int64_t together = 1; ///< product of the last ones
};

SoftmaxLayer::SoftmaxLayer(const spec::SoftmaxLayer& message)
    : m_axes(message.axis().begin(), message.axis().end())
{
    if (m_axes.empty()) {
        m_axes = {-1};
    }
}

SoftmaxLayer::Order SoftmaxLayer::orderOf(const std::vector<std::int64_t>& rowShape) const
{
    std::vector<bool> isTogether(rowShape.size(), false);
    for (const std::size_t axis : rowAxes(rowShape.size(), m_axes)) {
        isTogether[axis] = true;
    }
    Order order;
    order.axes.resize(rowShape.size());
    std::iota(order.axes.begin(), order.axes.end(), 0);
    std::stable_partition(order.axes.begin(), order.axes.end(), [&](std::int32_t axis) {
        return !isTogether[static_cast<std::size_t>(axis)];
    });
    order.isIdentity = std::ranges::is_sorted(order.axes);
    for (std::size_t axis = 0; axis < rowShape.size(); ++axis) {
        order.together *= isTogether[axis] ? rowShape[axis] : 1;
    }
    return order;
}

Result<LayerSignature> SoftmaxLayer::signature(std::span<const graph::Value* const> inputs) const
{
    if (inputs.size() != 1 && inputs.size() != 2) {
        return fail(ErrorCode::InvalidArgument, kInputCount, "softmax", "1 or 2", inputs.size());
    }
    for (const graph::Value* input : inputs) {
        CANNERY_TRY(expectDense("softmax", *input));
    }
    const graph::Value& input = *inputs[0];
    CANNERY_TRY(rowAxes("softmax", input, m_axes));
    const graph::Value& mask = *inputs.back();
    if (graph::rowShape(mask) != graph::rowShape(input)) {
        return fail(ErrorCode::InvalidArgument, kSoftmaxMask, mask.name, graph::shapeText(mask),
                    input.name, graph::shapeText(input));
    }
    return signatureLike(input);
}

void SoftmaxLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const std::vector<std::int64_t>& shape = buffers.output->shape;
    const Order order = orderOf(shape);
    m_together = order.together;
    m_kernels = &kernels::softmaxKernels(
        {.rows = buffers.maxRows * (buffers.output->width / m_together), .cols = m_together});
    m_places.clear();
    if (order.isIdentity) {
        return;
    }
    for (std::int64_t number = 0; number < buffers.output->width; ++number) {
        // `number` counts in the new order; its place in the row follows axis by axis.
        std::int64_t rest = number;
        std::int64_t place = 0;
        for (std::size_t at = order.axes.size(); at-- > 0;) {
            const auto axis = static_cast<std::size_t>(order.axes[at]);
            std::int64_t stride = 1;
            for (std::size_t later = axis + 1; later < shape.size(); ++later) {
                stride *= shape[later];
            }
            place += rest % shape[axis] * stride;
            rest /= shape[axis];
        }
        m_places.push_back(static_cast<std::int32_t>(place));
    }
    const auto size = static_cast<std::size_t>(buffers.maxRows * buffers.output->width);
    m_ordered.resize(size);
    m_orderedGrads.resize(buffers.inputs[0]->grad != nullptr ? size : 0);
}

std::span<float> SoftmaxLayer::some(std::vector<float>& memory, const StepContext& step) const
{
    const std::int64_t width = m_buffers.output->width;
    return std::span(memory).subspan(static_cast<std::size_t>(step.rowBegin * width),
                                     static_cast<std::size_t>(step.rows * width));
}

void SoftmaxLayer::forward(const StepContext& step)
{
    kernels::ConstMatrixView src = m_buffers.inputs[0]->values(step.range());
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    if (m_buffers.inputs.size() == 2) {
        kernels::vectorKernels().copy(step.pool, src, dst);
        lowerHidden(step, m_buffers.inputs[1]->values(step.range()), dst);
        src = dst;
    }
    if (m_places.empty()) {
        m_kernels->run(step.pool, byLastAxis(src, m_together), byLastAxis(dst, m_together));
        return;
    }
    const kernels::MatrixView ordered =
        kernels::matrixView(some(m_ordered, step), step.rows, dst.cols);
    reorderNumbers(step, m_places, OrderDirection::Gather, src, ordered);
    m_kernels->run(step.pool, byLastAxis(ordered, m_together), byLastAxis(ordered, m_together));
    reorderNumbers(step, m_places, OrderDirection::Scatter, ordered, dst);
}

void SoftmaxLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs.size() == 2 && m_buffers.inputs[1]->grad != nullptr) {
        kernels::vectorKernels().fill(step.pool, m_buffers.inputs[1]->gradient(step.range()).flat(),
                                      0.0F);
    }
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::ConstMatrixView dst = m_buffers.output->values(step.range());
    const kernels::ConstMatrixView dstGrad = m_buffers.output->gradient(step.range());
    const kernels::MatrixView srcGrad = m_buffers.inputs[0]->gradient(step.range());
    if (m_places.empty()) {
        m_kernels->gradient(step.pool, byLastAxis(dst, m_together), byLastAxis(dstGrad, m_together),
                            byLastAxis(srcGrad, m_together));
        return;
    }
    const kernels::MatrixView ordered =
        byLastAxis(kernels::matrixView(some(m_ordered, step), step.rows, dst.cols), m_together);
    const kernels::MatrixView grads =
        kernels::matrixView(some(m_orderedGrads, step), step.rows, dst.cols);
    reorderNumbers(step, m_places, OrderDirection::Gather, dstGrad, grads);
    m_kernels->gradient(step.pool, ordered, byLastAxis(grads, m_together),
                        byLastAxis(grads, m_together));
    reorderNumbers(step, m_places, OrderDirection::Scatter, grads, srcGrad);
}

storage::EmittedValue SoftmaxLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.output));
    const Order order = orderOf(shape);
    storage::NodeRef input = nodeRef(context.inputs[0].dense);
    if (context.inputs.size() == 2) {
        const storage::NodeRef isShown =
            nodes.truth("NotEqual", nodeRef(context.inputs[1].dense), nodes.number(0.0F));
        const storage::NodeRef hidden = nodes.subtract(nodes.number(1.0F), isShown);
        input = nodes.add(input, nodes.multiply(hidden, nodes.number(kLowered)));
    }
    const auto transposed = [&](const storage::NodeRef& value,
                                const std::vector<std::int32_t>& to) {
        return context.graph.add("Transpose", "Transpose", {value, nodes.ints(to)},
                                 {{"T", DType::Float32}, {"Tperm", DType::Int32}});
    };
    // The batch comes first in either order.
    std::vector<std::int32_t> forth{0};
    std::vector<std::int32_t> back(shape.size() + 1, 0);
    std::vector<std::int32_t> ordered{-1};
    for (std::size_t at = 0; at < order.axes.size(); ++at) {
        forth.push_back(order.axes[at] + 1);
        back[static_cast<std::size_t>(order.axes[at]) + 1] = static_cast<std::int32_t>(at) + 1;
        ordered.push_back(
            static_cast<std::int32_t>(shape[static_cast<std::size_t>(order.axes[at])]));
    }
    if (!order.isIdentity) {
        input = transposed(input, forth);
    }
    const bool isOneAxis = m_axes.size() == 1;
    if (!isOneAxis) {
        input = nodes.reshape(input, {-1, static_cast<std::int32_t>(order.together)});
    }
    storage::NodeRef result = nodes.apply("Softmax", {input});
    if (!isOneAxis) {
        result = nodes.reshape(result, ordered);
    }
    if (!order.isIdentity) {
        result = transposed(result, back);
    }
    return {.dense = result.input()};
}

std::unique_ptr<Layer> makeSoftmaxLayer(const spec::Layer& message)
{
    return std::make_unique<SoftmaxLayer>(message.softmax());
}

} // namespace cannery::layers
