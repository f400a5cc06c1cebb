// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/repeat_vector_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"

namespace cannery::layers {

namespace {

constexpr ErrorKind kNotAVector{"layers.not_a_vector",
                                "A layer {} reads vectors, but '{}' gives rows of shape {}: put a "
                                "flatten before it."};

} // namespace

Result<LayerSignature>
RepeatVectorLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("repeat_vector", inputs, 1));
    const graph::Value& input = *inputs[0];
    CANNERY_TRY(expectDense("repeat_vector", input));
    if (graph::rowShape(input).size() != 1) {
        return fail(ErrorCode::InvalidArgument, kNotAVector, "repeat_vector", input.name,
                    graph::shapeText(input));
    }
    CANNERY_TRY(expectCountable("repeat_vector", input,
                                static_cast<double>(m_steps) * static_cast<double>(input.width)));
    LayerSignature signature;
    signature.output = imageValue({1, m_steps, input.width}, WindowsOver::Steps);
    return signature;
}

void RepeatVectorLayer::prepare(const LayerBuffers& buffers)
{
    m_rows.prepare(buffers, {.height = 1, .width = 1, .channels = buffers.inputs[0]->width},
                   repeatedAxis(1, 1), repeatedAxis(1, m_steps));
}

storage::EmittedValue RepeatVectorLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::NodeRef steps = graph.add(
        "ExpandDims", "ExpandDims",
        {nodeRef(context.inputs[0].dense), graph.constant("ExpandDims/dim", std::int32_t{1})},
        {{"T", DType::Float32}, {"Tdim", DType::Int32}});
    const storage::NodeRef multiples = graph.constant(
        "Tile/multiples", std::vector<std::int32_t>{1, static_cast<std::int32_t>(m_steps), 1});
    return {.dense = graph
                         .add("Tile", "Tile", {steps, multiples},
                              {{"T", DType::Float32}, {"Tmultiples", DType::Int32}})
                         .input()};
}

std::unique_ptr<Layer> makeRepeatVectorLayer(const spec::Layer& message)
{
    return std::make_unique<RepeatVectorLayer>(message.repeat_vector());
}

} // namespace cannery::layers
