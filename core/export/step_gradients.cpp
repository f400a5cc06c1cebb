// SPDX-License-Identifier: Apache-2.0
#include "core/export/step_gradients.h"

namespace cannery::exporting {

using storage::NodeRef;

namespace {

/// Of all `count` outputs, zeros where nothing depends on one.
std::vector<NodeRef> gradientsOf(const GradientCall& call, std::int64_t count)
{
    std::vector<NodeRef> grads = call.outputGrads;
    grads.resize(static_cast<std::size_t>(count));
    for (std::size_t output = 0; output < grads.size(); ++output) {
        if (grads[output].node.empty()) {
            grads[output] =
                call.nodes.apply("ZerosLike", {call.output.at(static_cast<int>(output))});
        }
    }
    return grads;
}

std::int64_t countIn(const GradientCall& call, const char* attribute)
{
    const auto found = call.node.attrs.find(attribute);
    const auto* count = found == call.node.attrs.end()
                            ? nullptr
                            : std::get_if<std::int64_t>(&found->second.value());
    return count == nullptr ? 0 : *count;
}

} // namespace

/// The first input is the dimension.
bool gradientOfSplit(GradientCall& call)
{
    const std::int64_t count = countIn(call, "num_split");
    call.give(1, [&] {
        std::vector<NodeRef> parts = gradientsOf(call, count);
        parts.push_back(call.inputs[0]);
        return call.nodes.graph().add(
            "ConcatV2", "concat", parts,
            {{"N", count}, {"T", DType::Float32}, {"Tidx", DType::Int32}});
    });
    return count > 0;
}

bool gradientOfUnpack(GradientCall& call)
{
    const std::int64_t count = countIn(call, "num");
    call.give(0, [&] {
        return call.nodes.graph().add(
            "Pack", "stack", gradientsOf(call, count),
            {{"N", count}, {"T", DType::Float32}, {"axis", countIn(call, "axis")}});
    });
    return count > 0;
}

/// The condition may be broadcast; what is chosen from may not, as the gradient would have to be
/// added up.
bool gradientOfSelect(GradientCall& call)
{
    const auto& nodes = call.nodes;
    const auto zeros = [&] { return nodes.apply("ZerosLike", {call.grad}); };
    call.give(1, [&] { return nodes.select(call.inputs[0], call.grad, zeros()); });
    call.give(2, [&] { return nodes.select(call.inputs[0], zeros(), call.grad); });
    return true;
}

} // namespace cannery::exporting
