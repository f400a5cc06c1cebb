// SPDX-License-Identifier: Apache-2.0
#include "core/export/gradient_rules_merging.h"

namespace cannery::exporting {

using storage::NodeRef;

namespace {

bool isSet(const GradientCall& call, const std::string& name)
{
    const auto found = call.node.attrs.find(name);
    const bool* value =
        found == call.node.attrs.end() ? nullptr : std::get_if<bool>(&found->second.value());
    return value != nullptr && *value;
}

NodeRef batchProduct(const GradientCall& call, const NodeRef& left, bool isLeftTransposed,
                     const NodeRef& right, bool isRightTransposed)
{
    return call.nodes.graph().add(
        "BatchMatMulV2", "BatchMatMulV2", {left, right},
        {{"T", DType::Float32}, {"adj_x", isLeftTransposed}, {"adj_y", isRightTransposed}});
}

} // namespace

/// Of z = x y it is dx = dz y', dy = x' dz; a factor that is read transposed gets the transposed
/// of it.
bool gradientOfBatchMatMul(GradientCall& call)
{
    const NodeRef& x = call.inputs[0];
    const NodeRef& y = call.inputs[1];
    const bool turnsX = isSet(call, "adj_x");
    const bool turnsY = isSet(call, "adj_y");
    call.give(0, [&] {
        return turnsX ? batchProduct(call, y, turnsY, call.grad, true)
                      : batchProduct(call, call.grad, false, y, !turnsY);
    });
    call.give(1, [&] {
        return turnsY ? batchProduct(call, call.grad, true, x, turnsX)
                      : batchProduct(call, x, !turnsX, call.grad, false);
    });
    return true;
}

} // namespace cannery::exporting
