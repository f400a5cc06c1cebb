// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/random_emission.h"

#include "storage/tf/graphs/float_nodes.h"

namespace cannery::layers {

storage::NodeRef emitUniform(storage::GraphDefBuilder& graph, const storage::NodeRef& shape,
                             const char* name)
{
    return graph.add("RandomUniform", name, {shape},
                     {{"dtype", DType::Float32}, {"T", DType::Int32}});
}

storage::NodeRef emitNormal(storage::GraphDefBuilder& graph, const storage::NodeRef& shape)
{
    return graph.add("RandomStandardNormal", "random_normal", {shape},
                     {{"dtype", DType::Float32}, {"T", DType::Int32}});
}

storage::NodeRef emitDropout(storage::GraphDefBuilder& graph, const storage::NodeRef& input,
                             float rate, const storage::NodeRef& shape)
{
    const storage::FloatNodes nodes(graph);
    if (rate >= 1.0F) {
        return nodes.multiply(input, nodes.number(0.0F));
    }
    const storage::NodeRef scaled = nodes.multiply(input, nodes.number(1.0F / (1.0F - rate)));
    const storage::NodeRef kept =
        nodes.truth("GreaterEqual", emitUniform(graph, shape), nodes.number(rate));
    return nodes.multiply(scaled, kept);
}

} // namespace cannery::layers
