// SPDX-License-Identifier: Apache-2.0
#include "core/layers/shapes/up_sampling_1d_layer.h"

#include "core/layers/inputs/lookup.h"
#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

storage::EmittedValue UpSampling1dLayer::emit(const EmitContext& context) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const auto number = [](std::int64_t value) { return static_cast<std::int32_t>(value); };
    const storage::NodeRef steps = graph.add(
        "ExpandDims", "ExpandDims",
        {nodeRef(context.inputs[0].dense), graph.constant("ExpandDims/dim", std::int32_t{2})},
        {{"T", DType::Float32}, {"Tdim", DType::Int32}});
    const storage::NodeRef multiples = graph.constant(
        "Tile/multiples", std::vector<std::int32_t>{1, 1, number(options().size.front()), 1});
    const storage::NodeRef repeated = graph.add(
        "Tile", "Tile", {steps, multiples}, {{"T", DType::Float32}, {"Tmultiples", DType::Int32}});
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.output));
    return {.dense = storage::FloatNodes(graph)
                         .reshape(repeated, {-1, number(shape[0]), number(shape[1])})
                         .input()};
}

std::unique_ptr<Layer> makeUpSampling1dLayer(const spec::Layer& message)
{
    return std::make_unique<UpSampling1dLayer>(message.up_sampling_1d());
}

} // namespace cannery::layers
