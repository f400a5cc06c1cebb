// SPDX-License-Identifier: Apache-2.0
#include "core/export/product_gradients.h"

#include <algorithm>
#include <string>

namespace cannery::exporting {

using storage::FloatNodes;
using storage::NodeRef;

namespace {

template <typename T>
const T* attrOf(const GradientCall& call, const std::string& name)
{
    const auto found = call.node.attrs.find(name);
    return found == call.node.attrs.end() ? nullptr : std::get_if<T>(&found->second.value());
}

bool isSet(const GradientCall& call, const std::string& name)
{
    const bool* value = attrOf<bool>(call, name);
    return value != nullptr && *value;
}

bool hasAll(const std::string& letters, const std::string& among)
{
    return std::ranges::all_of(
        letters, [&](char letter) { return among.find(letter) != std::string::npos; });
}

NodeRef einsumOf(const GradientCall& call, const NodeRef& left, const NodeRef& right,
                 const std::string& equation)
{
    return call.nodes.graph().add(
        "Einsum", "Einsum", {left, right},
        {{"N", std::int64_t{2}}, {"T", DType::Float32}, {"equation", equation}});
}

NodeRef batchProduct(const GradientCall& call, const NodeRef& left, bool isLeftTransposed,
                     const NodeRef& right, bool isRightTransposed)
{
    return call.nodes.graph().add(
        "BatchMatMulV2", "BatchMatMulV2", {left, right},
        {{"T", DType::Float32}, {"adj_x", isLeftTransposed}, {"adj_y", isRightTransposed}});
}

} // namespace

/// Of the equation "x,y->z" it is "z,y->x" and "z,x->y", where every letter of an operand is one of
/// the other or of the result.
bool gradientOfEinsum(GradientCall& call)
{
    const auto* equation = attrOf<std::string>(call, "equation");
    if (equation == nullptr || call.inputs.size() != 2) {
        return false;
    }
    const std::size_t comma = equation->find(',');
    const std::size_t arrow = equation->find("->");
    const std::string left = equation->substr(0, comma);
    const std::string right = equation->substr(comma + 1, arrow - comma - 1);
    const std::string result = equation->substr(arrow + 2);
    if (!hasAll(left, right + result) || !hasAll(right, left + result)) {
        return false;
    }
    call.give(0, [&] {
        return einsumOf(call, call.grad, call.inputs[1], result + "," + right + "->" + left);
    });
    call.give(1, [&] {
        return einsumOf(call, call.grad, call.inputs[0], result + "," + left + "->" + right);
    });
    return true;
}

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

bool gradientOfNegation(GradientCall& call)
{
    call.give(0, [&] { return call.nodes.apply("Neg", {call.grad}); });
    return true;
}

/// (g - sum of g y along the last dimension) y
bool gradientOfSoftmax(GradientCall& call)
{
    const FloatNodes& nodes = call.nodes;
    call.give(0, [&] {
        const NodeRef mean = nodes.sum(nodes.multiply(call.grad, call.output), -1, true);
        return nodes.multiply(nodes.subtract(call.grad, mean), call.output);
    });
    return true;
}

} // namespace cannery::exporting
