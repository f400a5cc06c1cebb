// SPDX-License-Identifier: Apache-2.0
#include "core/layers/activations/activation_emission.h"

#include "core/base/check.h"

#include <cmath>
#include <numbers>

namespace cannery::layers {

namespace {

using kernels::Activation;
using storage::NodeRef;

/// TensorFlow's op for the function, or null if it needs several.
const char* singleOp(Activation activation)
{
    switch (activation) {
    case Activation::Relu:
        return "Relu";
    case Activation::Relu6:
        return "Relu6";
    case Activation::Elu:
        return "Elu";
    case Activation::Selu:
        return "Selu";
    case Activation::Tanh:
        return "Tanh";
    case Activation::Sigmoid:
        return "Sigmoid";
    case Activation::Softplus:
        return "Softplus";
    case Activation::Softsign:
        return "Softsign";
    case Activation::Exponential:
        return "Exp";
    default:
        return nullptr;
    }
}

NodeRef unary(storage::GraphDefBuilder& graph, const char* op, const char* name, const NodeRef& x)
{
    return graph.add(op, name, {x}, {{"T", DType::Float32}});
}

NodeRef binary(storage::GraphDefBuilder& graph, const char* op, const char* name, const NodeRef& x,
               const NodeRef& y)
{
    return graph.add(op, name, {x, y}, {{"T", DType::Float32}});
}

/// x (1 + erf(x / sqrt 2)) / 2
NodeRef emitGelu(storage::GraphDefBuilder& graph, const NodeRef& x)
{
    const NodeRef root = graph.constant("Gelu/root", static_cast<float>(std::numbers::sqrt2));
    const NodeRef error =
        unary(graph, "Erf", "Gelu/Erf", binary(graph, "RealDiv", "Gelu/truediv", x, root));
    const NodeRef raised =
        binary(graph, "AddV2", "Gelu/add", graph.constant("Gelu/one", 1.0F), error);
    const NodeRef half = binary(graph, "Mul", "Gelu/half", graph.constant("Gelu/0.5", 0.5F), x);
    return binary(graph, "Mul", "Gelu", half, raised);
}

/// Keras's hard_sigmoid of TensorFlow 2.15, with a slope of 0.2: max(min(0.2 x + 0.5, 1), 0), in
/// the order of tf.clip_by_value.
NodeRef emitHardSigmoid(storage::GraphDefBuilder& graph, const NodeRef& x)
{
    const NodeRef scaled =
        binary(graph, "Mul", "HardSigmoid/mul", x, graph.constant("HardSigmoid/slope", 0.2F));
    const NodeRef shifted = binary(graph, "AddV2", "HardSigmoid/add", scaled,
                                   graph.constant("HardSigmoid/offset", 0.5F));
    const NodeRef below = binary(graph, "Minimum", "HardSigmoid/min", shifted,
                                 graph.constant("HardSigmoid/one", 1.0F));
    return binary(graph, "Maximum", "HardSigmoid", below, graph.constant("HardSigmoid/zero", 0.0F));
}

/// x tanh(softplus(x))
NodeRef emitMish(storage::GraphDefBuilder& graph, const NodeRef& x)
{
    const NodeRef soft = unary(graph, "Softplus", "Mish/Softplus", x);
    return binary(graph, "Mul", "Mish", x, unary(graph, "Tanh", "Mish/Tanh", soft));
}

} // namespace

NodeRef emitActivation(storage::GraphDefBuilder& graph, Activation activation, const NodeRef& input)
{
    if (const char* op = singleOp(activation); op != nullptr) {
        return unary(graph, op, op, input);
    }
    switch (activation) {
    case Activation::Linear:
        return input;
    // 0.2 is tf.nn.leaky_relu's default.
    case Activation::LeakyRelu:
        return graph.add("LeakyRelu", "LeakyRelu", {input},
                         {{"T", DType::Float32}, {"alpha", 0.2F}});
    case Activation::Swish:
        return binary(graph, "Mul", "Swish", input,
                      unary(graph, "Sigmoid", "Swish/Sigmoid", input));
    case Activation::Gelu:
        return emitGelu(graph, input);
    case Activation::HardSigmoid:
        return emitHardSigmoid(graph, input);
    case Activation::Mish:
        return emitMish(graph, input);
    default:
        CANNERY_CHECK(!"every activation has an emission");
        return input;
    }
}

} // namespace cannery::layers
