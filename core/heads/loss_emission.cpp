// SPDX-License-Identifier: Apache-2.0
#include "core/heads/loss_emission.h"

#include <numbers>

namespace cannery::heads {

using losses::LossKind;
using storage::FloatNodes;
using storage::NodeRef;

namespace {

/// A loss of each element with its slope by the logit.
struct Elements
{
    NodeRef losses;
    NodeRef slopes;
};

Elements sigmoidCrossEntropy(const FloatNodes& nodes, const NodeRef& z, const NodeRef& y)
{
    // max(z, 0) - z y + log(1 + e^-|z|), as tf.nn.sigmoid_cross_entropy_with_logits: no exp() of a
    // large number.
    const NodeRef size = nodes.larger(z, nodes.apply("Neg", {z}));
    const NodeRef tail = nodes.apply("Log1p", {nodes.apply("Exp", {nodes.apply("Neg", {size})})});
    const NodeRef linear = nodes.subtract(nodes.apply("Relu", {z}), nodes.multiply(z, y));
    return {.losses = nodes.add(linear, tail),
            .slopes = nodes.subtract(nodes.apply("Sigmoid", {z}), y)};
}

/// Labels [batch, 1] are class ids.
Elements softmaxCrossEntropy(const FloatNodes& nodes, const NodeRef& z, const NodeRef& y,
                             std::int64_t classes)
{
    const NodeRef hot = emitOneHot(nodes, y, classes);
    // This operation gives the gradient by the logits as its second output.
    const NodeRef loss = nodes.apply("SoftmaxCrossEntropyWithLogits", {z, hot});
    return {.losses = nodes.reshape(loss, FloatNodes::Ints{-1, 1}), .slopes = loss.at(1)};
}

Elements squaredError(const FloatNodes& nodes, const NodeRef& z, const NodeRef& y)
{
    const NodeRef error = nodes.subtract(z, y);
    return {.losses = nodes.apply("Square", {error}),
            .slopes = nodes.multiply(nodes.number(2.0F), error)};
}

Elements poisson(const FloatNodes& nodes, const NodeRef& z, const NodeRef& y)
{
    const NodeRef rate = nodes.apply("Exp", {z});
    return {.losses = nodes.subtract(rate, nodes.multiply(z, y)),
            .slopes = nodes.subtract(rate, y)};
}

/// y ln y - y + ln(2 pi y) / 2; 0 for y in [0, 1].
NodeRef stirling(const FloatNodes& nodes, const NodeRef& y)
{
    const NodeRef one = nodes.number(1.0F);
    const NodeRef areSmall = nodes.graph().add(
        "LogicalAnd", "LogicalAnd",
        {nodes.holds("GreaterEqual", y, nodes.number(0.0F)), nodes.holds("GreaterEqual", one, y)});
    // TensorFlow takes Stirling's formula for y > 1 only; the select must not compute log(0)
    // either.
    const NodeRef counts = nodes.select(areSmall, nodes.apply("OnesLike", {y}), y);
    const NodeRef product = nodes.multiply(counts, nodes.apply("Log", {counts}));
    const NodeRef around =
        nodes.multiply(counts, nodes.number(static_cast<float>(2.0 * std::numbers::pi)));
    const NodeRef half = nodes.multiply(nodes.number(0.5F), nodes.apply("Log", {around}));
    const NodeRef sum = nodes.add(nodes.subtract(product, counts), half);
    return nodes.select(areSmall, nodes.apply("ZerosLike", {y}), sum);
}

Elements elementsOf(const FloatNodes& nodes, LossKind kind, std::int64_t width, const NodeRef& z,
                    const NodeRef& y)
{
    switch (kind) {
    case LossKind::SoftmaxCrossEntropy:
        return softmaxCrossEntropy(nodes, z, y, width);
    case LossKind::SquaredError:
        return squaredError(nodes, z, y);
    case LossKind::Poisson:
        return poisson(nodes, z, y);
    case LossKind::PoissonFull: {
        Elements elements = poisson(nodes, z, y);
        elements.losses = nodes.add(elements.losses, stirling(nodes, y));
        return elements;
    }
    default:
        return sigmoidCrossEntropy(nodes, z, y);
    }
}

} // namespace

NodeRef emitOneHot(const FloatNodes& nodes, const NodeRef& ids, std::int64_t classes)
{
    storage::GraphDefBuilder& graph = nodes.graph();
    const NodeRef numbers = graph.add("Cast", "Cast", {nodes.flat(ids)},
                                      {{"SrcT", DType::Float32}, {"DstT", DType::Int64}});
    return graph.add("OneHot", "one_hot",
                     {numbers, graph.constant("depth", static_cast<std::int32_t>(classes)),
                      nodes.number(1.0F), nodes.number(0.0F)},
                     {{"T", DType::Float32}, {"TI", DType::Int64}});
}

LossNodes emitLoss(storage::GraphDefBuilder& graph, LossKind kind, std::int64_t width,
                   losses::Reduction reduction, const SupervisedInputs& inputs)
{
    const FloatNodes nodes(graph);
    Elements elements = elementsOf(nodes, kind, width, inputs.logits, inputs.labels);
    if (kind == LossKind::SigmoidCrossEntropyOverLabels) {
        // The loss of a row is the mean over its labels, so the slopes shrink likewise.
        const NodeRef labels = nodes.number(static_cast<float>(width));
        elements.losses = nodes.divide(nodes.sum(elements.losses, 1, true), labels);
        elements.slopes = nodes.divide(elements.slopes, labels);
    }
    const bool isWeighted = !inputs.weights.node.empty();
    const auto weighted = [&](const NodeRef& values) {
        // The weight multiplies loss and slope alike.
        return isWeighted ? nodes.multiply(values, inputs.weights) : values;
    };
    LossNodes result{.losses = elements.losses,
                     .loss = nodes.total(weighted(elements.losses)),
                     .logitsGrad = weighted(elements.slopes)};
    if (reduction == losses::Reduction::SumOverBatchSize) {
        // SUM_OVER_BATCH_SIZE divides by the number of losses, not by the sum of weights.
        const NodeRef count = nodes.count(elements.losses);
        result.loss = nodes.divideOrZero(result.loss, count);
        result.logitsGrad = nodes.divideOrZero(result.logitsGrad, count);
    }
    return result;
}

} // namespace cannery::heads
