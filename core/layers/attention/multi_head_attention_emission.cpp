// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/multi_head_attention_layer.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/noise/random_emission.h"
#include "storage/tf/graphs/float_nodes.h"

#include <cmath>

namespace cannery::layers {

namespace {

using storage::NodeRef;

NodeRef emitEinsum(storage::GraphDefBuilder& graph, const NodeRef& left, const NodeRef& right,
                   const char* equation)
{
    return graph.add(
        "Einsum", "einsum", {left, right},
        {{"N", std::int64_t{2}}, {"T", DType::Float32}, {"equation", std::string(equation)}});
}

/// [batch, steps, width], whatever the dimensions of the steps.
NodeRef emitSequence(const EmitContext& context, std::size_t input)
{
    const NodeRef value = nodeRef(context.inputs[input].dense);
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.inputs[input]));
    return shape.size() == 2
               ? value
               : storage::FloatNodes(context.graph)
                     .reshape(value, {-1,
                                      static_cast<std::int32_t>(
                                          context.layers.value(context.node.inputs[input]).width /
                                          shape.back()),
                                      static_cast<std::int32_t>(shape.back())});
}

} // namespace

NodeRef MultiHeadAttentionLayer::emitProjection(const EmitContext& context, Part part,
                                                const NodeRef& input, const char* equation) const
{
    const std::size_t kernel = kernelIndex(part);
    const NodeRef product =
        emitEinsum(context.graph, input, context.variables[kernel]->read, equation);
    return m_usesBias ? storage::FloatNodes(context.graph)
                            .add(product, context.variables[kernel + 1]->read)
                      : product;
}

/// The equations of Keras: a batch, b or e the steps of query and key, c the heads, d widths.
storage::EmittedValue MultiHeadAttentionLayer::emitWith(const EmitContext& context,
                                                        bool drops) const
{
    const storage::FloatNodes nodes(context.graph);
    constexpr const char* kProject = "abc,cde->abde";
    const std::size_t keyInput = context.inputs.size() > kKeyInput ? kKeyInput : kValueInput;
    const NodeRef query =
        emitProjection(context, kQueryPart, emitSequence(context, kQueryInput), kProject);
    const NodeRef key =
        emitProjection(context, kKeyPart, emitSequence(context, keyInput), kProject);
    const NodeRef value =
        emitProjection(context, kValuePart, emitSequence(context, kValueInput), kProject);
    const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(m_keyDim)));
    NodeRef scores = emitEinsum(context.graph, key, nodes.multiply(query, nodes.number(scale)),
                                "aecd,abcd->acbe");
    if (const auto hiding = emitHiding(context, m_isCausal, true)) {
        scores = nodes.add(scores, *hiding);
    }
    NodeRef shares = nodes.apply("Softmax", {scores});
    if (drops && m_dropRate > 0.0F) {
        shares = emitDropout(context.graph, shares, m_dropRate, nodes.shape(shares));
    }
    const NodeRef weighed = emitEinsum(context.graph, shares, value, "acbe,aecd->abcd");
    NodeRef result = emitProjection(context, kOutputPart, weighed, "abcd,cde->abe");
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.output));
    if (shape.size() > 2) {
        std::vector<std::int32_t> dims{-1};
        dims.insert(dims.end(), shape.begin(), shape.end());
        result = nodes.reshape(result, dims);
    }
    return {.dense = result.input()};
}

storage::EmittedValue MultiHeadAttentionLayer::emit(const EmitContext& context) const
{
    return emitWith(context, false);
}

storage::EmittedValue
MultiHeadAttentionLayer::emitTraining(const EmitContext& context,
                                      std::vector<storage::NodeRef>& /*updates*/) const
{
    return emitWith(context, true);
}

} // namespace cannery::layers
