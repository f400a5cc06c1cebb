// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/attention_inputs.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kAttentionRank{
    "layers.attention_rank",
    "A layer {} reads sequences, rows of shape [steps, width], and rows of '{}' have the shape {}: "
    "put a reshape before it."};
constexpr ErrorKind kAttentionSteps{
    "layers.attention_steps",
    "The key '{}' of shape {} does not belong to the value '{}' of shape {}: both need the same "
    "number of steps."};
constexpr ErrorKind kAttentionWidths{
    "layers.attention_widths",
    "The query '{}' of shape {} does not match the key '{}' of shape {}: both need the same width, "
    "such as by a dense layer before one of them."};
constexpr ErrorKind kAttentionLength{
    "layers.attention_length",
    "'{}' has {} steps, and a layer {} weighs {} at most: make the sequence shorter, such as by a "
    "pooling."};
constexpr ErrorKind kAttentionMask{
    "layers.attention_mask",
    "The mask '{}' has rows of shape {}, and a layer {} needs one of shape {}."};

constexpr float kLoweredScore = -1e9F;

std::vector<std::vector<std::int64_t>> attentionShapes(std::span<const graph::Value* const> inputs)
{
    std::vector<std::vector<std::int64_t>> shapes;
    for (const graph::Value* input : inputs) {
        shapes.push_back(graph::rowShape(*input));
    }
    return shapes;
}

std::int64_t attentionSteps(const std::vector<std::int64_t>& shape)
{
    std::int64_t steps = 1;
    for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
        steps *= shape[axis];
    }
    return steps;
}

Result<void> checkAttentionRank(std::string_view kind, const AttentionRules& rules,
                                const graph::Value& input)
{
    const std::size_t rank = graph::rowShape(input).size();
    if (rank < 2 || (rank > 2 && !rules.flattensSteps)) {
        return fail(ErrorCode::InvalidArgument, kAttentionRank, kind, input.name,
                    graph::shapeText(input));
    }
    return {};
}

Result<void> checkAttentionMask(std::string_view kind, const graph::Value& mask,
                                const std::vector<std::vector<std::int64_t>>& shapes)
{
    const std::vector<std::int64_t> shape = graph::rowShape(mask);
    for (const std::vector<std::int64_t>& fitting : shapes) {
        if (shape == fitting) {
            return {};
        }
    }
    std::string texts;
    for (const std::vector<std::int64_t>& fitting : shapes) {
        texts += (texts.empty() ? "" : " or ") + Shape(fitting).toString();
    }
    return fail(ErrorCode::InvalidArgument, kAttentionMask, mask.name, graph::shapeText(mask), kind,
                texts);
}

} // namespace

AttentionSizes attentionSizes(const std::vector<std::vector<std::int64_t>>& shapes)
{
    const std::vector<std::int64_t>& key =
        shapes.size() > kKeyInput ? shapes[kKeyInput] : shapes[kValueInput];
    return {.queries = attentionSteps(shapes[kQueryInput]),
            .keys = attentionSteps(shapes[kValueInput]),
            .queryWidth = shapes[kQueryInput].back(),
            .keyWidth = key.back(),
            .valueWidth = shapes[kValueInput].back()};
}

AttentionSizes attentionSizes(const LayerBuffers& buffers)
{
    std::vector<std::vector<std::int64_t>> shapes;
    for (const ValueBuffer* input : buffers.inputs) {
        shapes.push_back(input->shape);
    }
    return attentionSizes(shapes);
}

AttentionSizes attentionSizes(const EmitContext& context)
{
    std::vector<std::vector<std::int64_t>> shapes;
    for (const graph::ValueId input : context.node.inputs) {
        shapes.push_back(graph::rowShape(context.layers.value(input)));
    }
    return attentionSizes(shapes);
}

Result<AttentionSizes> checkAttention(std::string_view kind, const AttentionRules& rules,
                                      std::span<const graph::Value* const> inputs)
{
    if (inputs.size() < 2 || inputs.size() > rules.mostInputs) {
        return fail(ErrorCode::InvalidArgument, kInputCount, kind,
                    fmt::format("2 to {}", rules.mostInputs), inputs.size());
    }
    for (std::size_t input = 0; input < inputs.size(); ++input) {
        CANNERY_TRY(expectDense(kind, *inputs[input]));
        if (input <= kKeyInput) {
            CANNERY_TRY(checkAttentionRank(kind, rules, *inputs[input]));
        }
    }
    const AttentionSizes sizes = attentionSizes(attentionShapes(inputs));
    const graph::Value& query = *inputs[kQueryInput];
    const graph::Value& value = *inputs[kValueInput];
    const graph::Value& key = inputs.size() > kKeyInput ? *inputs[kKeyInput] : value;
    if (attentionSteps(graph::rowShape(key)) != sizes.keys) {
        return fail(ErrorCode::InvalidArgument, kAttentionSteps, key.name, graph::shapeText(key),
                    value.name, graph::shapeText(value));
    }
    if (rules.needsSameWidth && sizes.queryWidth != sizes.keyWidth) {
        return fail(ErrorCode::InvalidArgument, kAttentionWidths, query.name,
                    graph::shapeText(query), key.name, graph::shapeText(key));
    }
    if (sizes.keys > kernels::kMostAttentionKeys) {
        return fail(ErrorCode::InvalidArgument, kAttentionLength, value.name, sizes.keys, kind,
                    kernels::kMostAttentionKeys);
    }
    if (inputs.size() > kMaskInput) {
        CANNERY_TRY(checkAttentionMask(kind, *inputs[kMaskInput],
                                       {{sizes.keys}, {sizes.queries, sizes.keys}}));
    }
    if (inputs.size() > kQueryMaskInput) {
        CANNERY_TRY(checkAttentionMask(kind, *inputs[kQueryMaskInput], {{sizes.queries}}));
    }
    return sizes;
}

kernels::ConstMatrixView attentionMask(const LayerBuffers& buffers, kernels::BlockRange rows)
{
    return buffers.inputs.size() > kMaskInput ? buffers.inputs[kMaskInput]->values(rows)
                                              : kernels::ConstMatrixView{};
}

void clearMaskGradients(const LayerBuffers& buffers, const StepContext& step)
{
    // A mask is only compared with 0, so its derivative is 0. Written all the same: a gradient is
    // undefined until its reader sets it.
    for (std::size_t input = kMaskInput; input < buffers.inputs.size(); ++input) {
        if (buffers.inputs[input]->grad != nullptr) {
            kernels::vectorKernels().fill(
                step.pool, buffers.inputs[input]->gradient(step.range()).flat(), 0.0F);
        }
    }
}

storage::NodeRef emitTruth(const EmitContext& context, std::size_t input)
{
    const storage::FloatNodes nodes(context.graph);
    return nodes.truth("NotEqual", nodeRef(context.inputs[input].dense), nodes.number(0.0F));
}

std::optional<storage::NodeRef> emitHiding(const EmitContext& context, bool isCausal, bool hasHeads)
{
    const storage::FloatNodes nodes(context.graph);
    const AttentionSizes sizes = attentionSizes(context);
    std::optional<storage::NodeRef> shown;
    if (isCausal) {
        const storage::NodeRef ones =
            context.graph.add("Fill", "ones",
                              {nodes.ints({static_cast<std::int32_t>(sizes.queries),
                                           static_cast<std::int32_t>(sizes.keys)}),
                               nodes.number(1.0F)},
                              {{"T", DType::Float32}, {"index_type", DType::Int32}});
        // The lower triangle.
        shown = context.graph.add("MatrixBandPart", "MatrixBandPart",
                                  {ones, context.graph.constant("below", std::int32_t{-1}),
                                   context.graph.constant("above", std::int32_t{0})},
                                  {{"T", DType::Float32}, {"Tindex", DType::Int32}});
    }
    if (context.inputs.size() > kMaskInput) {
        const graph::Value& mask = context.layers.value(context.node.inputs[kMaskInput]);
        storage::FloatNodes::Ints shape{-1};
        if (hasHeads) {
            shape.push_back(1);
        }
        shape.push_back(static_cast<std::int32_t>(mask.width / sizes.keys));
        shape.push_back(static_cast<std::int32_t>(sizes.keys));
        const storage::NodeRef truth = nodes.reshape(emitTruth(context, kMaskInput), shape);
        shown = shown ? nodes.multiply(*shown, truth) : truth;
    }
    if (!shown) {
        return std::nullopt;
    }
    return nodes.multiply(nodes.subtract(nodes.number(1.0F), *shown), nodes.number(kLoweredScore));
}

} // namespace cannery::layers
