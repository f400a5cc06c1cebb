// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/edge_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kEdgeNumbers{"layers.edge_numbers",
                                 "A layer {} takes one, two or four numbers for {}, not {}."};
constexpr ErrorKind kCroppedAway{
    "layers.cropped_away",
    "A layer {} would leave nothing of '{}', whose rows have the shape {}: cut off less."};

} // namespace

EdgeLayer::Edges EdgeLayer::edges() const
{
    const std::vector<std::int64_t>& numbers = m_options.numbers;
    const auto number = [&](std::size_t index) {
        return numbers.empty() ? m_options.unset : numbers[index * numbers.size() / 4];
    };
    if (m_options.over == WindowsOver::Steps) {
        return {.left = number(0), .right = number(3)};
    }
    // Two numbers are those of both directions, each of which has two sides.
    return {.top = number(0), .bottom = number(1), .left = number(2), .right = number(3)};
}

Result<void> EdgeLayer::checkNumberOfEdges() const
{
    const std::size_t count = m_options.numbers.size();
    if (m_options.over == WindowsOver::Steps) {
        return checkNumbers(m_options.kind, m_options.field, m_options.numbers);
    }
    if (count == 3 || count > 4) {
        return fail(ErrorCode::InvalidArgument, kEdgeNumbers, m_options.kind, m_options.field,
                    count);
    }
    return {};
}

Result<LayerSignature> EdgeLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY(checkNumberOfEdges());
    CANNERY_TRY_ASSIGN(const ImageSize image,
                       imageSizeOf(m_options.kind, *inputs[0], m_options.over));
    const Edges edge = edges();
    const std::int64_t sign = m_options.change == Change::Pad ? 1 : -1;
    const ImageSize output{image.height + sign * (edge.top + edge.bottom),
                           image.width + sign * (edge.left + edge.right), image.channels};
    if (output.height < 1 || output.width < 1) {
        return fail(ErrorCode::InvalidArgument, kCroppedAway, m_options.kind, inputs[0]->name,
                    graph::shapeText(*inputs[0]));
    }
    CANNERY_TRY(
        expectCountable(m_options.kind, *inputs[0],
                        static_cast<double>(output.height) * static_cast<double>(output.width) *
                            static_cast<double>(output.channels)));
    LayerSignature signature;
    signature.output = imageValue(output, m_options.over);
    return signature;
}

void EdgeLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const bool isPadding = m_options.change == Change::Pad;
    const ImageSize inner = imageSizeOf(isPadding ? *buffers.inputs[0] : *buffers.output);
    const ImageSize outer = imageSizeOf(isPadding ? *buffers.output : *buffers.inputs[0]);
    const Edges edge = edges();
    const std::int64_t innerLine = inner.width * inner.channels;
    const std::int64_t outerLine = outer.width * outer.channels;
    m_spread = {.rank = 2, .dstFirst = edge.top * outerLine + edge.left * outer.channels};
    m_spread.axes[0] = {.size = inner.height, .srcStep = innerLine, .dstStep = outerLine};
    m_spread.axes[1] = {.size = innerLine, .srcStep = 1, .dstStep = 1};
    m_kernels = &kernels::stridedCopyKernels(m_spread);
}

void EdgeLayer::spread(const StepContext& step, kernels::ConstMatrixView inner,
                       kernels::MatrixView outer) const
{
    kernels::vectorKernels().fill(step.pool, outer.flat(), 0.0F);
    m_kernels->run(m_spread, step.pool, inner, outer);
}

void EdgeLayer::cut(const StepContext& step, kernels::ConstMatrixView outer,
                    kernels::MatrixView inner) const
{
    m_kernels->run(m_spread.reversed(), step.pool, outer, inner);
}

void EdgeLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView src = m_buffers.inputs[0]->values(step.range());
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    if (m_options.change == Change::Pad) {
        spread(step, src, dst);
    } else {
        cut(step, src, dst);
    }
}

void EdgeLayer::backward(const StepContext& step)
{
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::ConstMatrixView dstGrad = m_buffers.output->gradient(step.range());
    const kernels::MatrixView srcGrad = m_buffers.inputs[0]->gradient(step.range());
    if (m_options.change == Change::Pad) {
        cut(step, dstGrad, srcGrad);
    } else {
        spread(step, dstGrad, srcGrad);
    }
}

storage::EmittedValue EdgeLayer::emit(const EmitContext& context) const
{
    using Numbers = std::vector<std::int32_t>;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    storage::GraphDefBuilder& graph = context.graph;
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    const Edges edge = edges();
    const bool isOverSteps = m_options.over == WindowsOver::Steps;
    if (m_options.change == Change::Pad) {
        Numbers paddings{0, 0};
        if (!isOverSteps) {
            paddings.insert(paddings.end(), {number(edge.top), number(edge.bottom)});
        }
        paddings.insert(paddings.end(), {number(edge.left), number(edge.right), 0, 0});
        const auto rank = static_cast<std::int64_t>(paddings.size() / 2);
        const storage::NodeRef around = graph.constant("Pad/paddings", paddings, Shape{rank, 2});
        return {.dense = graph
                             .add("Pad", "Pad", {input, around},
                                  {{"T", DType::Float32}, {"Tpaddings", DType::Int32}})
                             .input()};
    }
    const std::vector<std::int64_t> output =
        graph::rowShape(context.layers.value(context.node.output));
    const ImageSize size = imageSizeOf(output);
    std::vector<std::int64_t> begin{edge.left};
    std::vector<std::int64_t> end{edge.left + size.width};
    if (!isOverSteps) {
        begin.insert(begin.begin(), edge.top);
        end.insert(end.begin(), edge.top + size.height);
    }
    return {.dense = emitPart(graph, input, begin, end).input()};
}

storage::NodeRef emitPart(storage::GraphDefBuilder& graph, const storage::NodeRef& input,
                          const std::vector<std::int64_t>& begin,
                          const std::vector<std::int64_t>& end)
{
    // All rows and all channels, whatever stands for them.
    const std::size_t rank = begin.size() + 2;
    const std::int64_t whole = 1 | (std::int64_t{1} << (rank - 1));
    const auto places = [rank](const std::vector<std::int64_t>& inner) {
        std::vector<std::int32_t> all(rank, 0);
        std::ranges::transform(inner, all.begin() + 1,
                               [](std::int64_t place) { return static_cast<std::int32_t>(place); });
        return all;
    };
    return graph.add("StridedSlice", "strided_slice",
                     {input, graph.constant("strided_slice/stack", places(begin)),
                      graph.constant("strided_slice/stack_1", places(end)),
                      graph.constant("strided_slice/stack_2", std::vector<std::int32_t>(rank, 1))},
                     {{"T", DType::Float32},
                      {"Index", DType::Int32},
                      {"begin_mask", whole},
                      {"end_mask", whole}});
}

} // namespace cannery::layers
