// SPDX-License-Identifier: Apache-2.0
#include "core/layers/normalization/batch_normalization_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/masks/step_masks.h"
#include "core/layers/normalization/unit_nodes.h"
#include "core/layers/normalization/unit_order.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace cannery::layers {

namespace {

/// Whether a node before that of the context has the variable.
bool isUsedBefore(const EmitContext& context, graph::VariableId variable)
{
    for (const graph::Node& node : context.layers.nodes) {
        if (&node == &context.node) {
            break;
        }
        if (std::ranges::count(node.variables, variable) > 0) {
            return true;
        }
    }
    return false;
}

} // namespace

BatchNormalizationLayer::BatchNormalizationLayer(const spec::BatchNormalizationLayer& message)
    : m_axis(message.axis()), m_momentum(static_cast<float>(message.momentum())),
      m_epsilon(static_cast<float>(message.epsilon())), m_scales(message.scale()),
      m_centers(message.center()), m_places(placesOf(message.scale(), message.center()))
{}

BatchNormalizationLayer::Places BatchNormalizationLayer::placesOf(bool scales, bool centers)
{
    Places places;
    std::size_t next = 0;
    if (scales) {
        places.gamma = next++;
    }
    if (centers) {
        places.beta = next++;
    }
    places.movingMean = next++;
    places.movingVariance = next;
    return places;
}

kernels::AxisFactor BatchNormalizationLayer::factorOf(const std::vector<std::int64_t>& row) const
{
    const auto at = row.begin() + static_cast<std::ptrdiff_t>(rowAxis(row.size(), m_axis));
    return {.outer = std::accumulate(row.begin(), at, std::int64_t{1}, std::multiplies<>()),
            .depth = *at,
            .inner = std::accumulate(at + 1, row.end(), std::int64_t{1}, std::multiplies<>())};
}

Result<LayerSignature>
BatchNormalizationLayer::signature(std::span<const graph::Value* const> inputs) const
{
    constexpr const char* kKind = "batch_normalization";
    const bool hasMask =
        inputs.size() == 2 && takesMask(graph::rowShape(*inputs[0]).size(), m_axis);
    if (!hasMask) {
        CANNERY_TRY(expectInputs(kKind, inputs, 1));
    }
    CANNERY_TRY(expectDense(kKind, *inputs[0]));
    CANNERY_TRY_ASSIGN(const std::size_t axis, rowAxis(kKind, *inputs[0], m_axis));
    if (hasMask) {
        CANNERY_TRY(expectStepMask(kKind, *inputs[1], *inputs[0]));
    }
    const Shape shape{graph::rowShape(*inputs[0])[axis]};
    LayerSignature signature = signatureLike(*inputs[0]);
    const auto add = [&](const char* suffix, spec::Initializer initializer, bool trains) {
        signature.variables.push_back({.suffix = suffix,
                                       .shape = shape,
                                       .initializer = std::move(initializer),
                                       .trainable = trains && !m_isFrozen});
    };
    if (m_scales) {
        add("gamma", graph::ones(), true);
    }
    if (m_centers) {
        add("beta", graph::zeros(), true);
    }
    add("moving_mean", graph::zeros(), false);
    add("moving_variance", graph::ones(), false);
    return signature;
}

void BatchNormalizationLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_factor = factorOf(buffers.output->shape);
    m_width = m_factor.depth;
    const auto width = static_cast<std::size_t>(m_width);
    m_ones.assign(width, 1.0F);
    m_zeros.assign(width, 0.0F);
    m_gammaGrad.resize(width);
    m_betaGrad.resize(width);
    const auto numbers = static_cast<std::size_t>(buffers.maxRows * buffers.output->width);
    m_turnedInput.resize(isTurned() ? numbers : 0);
    m_turnedOutput.resize(isTurned() ? numbers : 0);
    m_shown.resize(isMasked() ? numbers : 0);
    m_kernels = &kernels::batchNormKernels({.rows = buffers.maxRows * perRow(), .cols = m_width});
    // Scratch is used where gamma or beta is frozen, as the gradient of the input needs the sums.
    for (const std::optional<std::size_t> place : {m_places.gamma, m_places.beta}) {
        if (place && buffers.variables[*place].gradient != nullptr) {
            buffers.variables[*place].gradient->push_back({.rowCount = 1});
        }
    }
}

kernels::MatrixView BatchNormalizationLayer::vectors(float* data, std::int64_t rows) const
{
    return {data, rows * perRow(), m_width, m_width};
}

kernels::ConstMatrixView BatchNormalizationLayer::source(const StepContext& step)
{
    const kernels::ConstMatrixView values = m_buffers.inputs[0]->values(step.rows);
    if (!isTurned()) {
        return byLastAxis(values, m_width);
    }
    const kernels::MatrixView turned = vectors(m_turnedInput.data(), step.rows);
    turnUnitsLast(step.pool, m_factor, values, turned);
    return turned;
}

std::span<const float> BatchNormalizationLayer::mask(const StepContext& step) const
{
    return m_buffers.inputs[1]->values(step.rows).flat();
}

kernels::ConstMatrixView BatchNormalizationLayer::shownOf(const StepContext& step,
                                                          kernels::ConstMatrixView all)
{
    if (!isMasked()) {
        return all;
    }
    const std::span<const float> shown = mask(step);
    std::int64_t count = 0;
    for (std::int64_t vector = 0; vector < all.rows; ++vector) {
        if (shown[static_cast<std::size_t>(vector)] != 0.0F) {
            std::copy_n(all.at(vector), m_width, m_shown.data() + m_width * count++);
        }
    }
    return {m_shown.data(), count, m_width, m_width};
}

kernels::MatrixView BatchNormalizationLayer::outputGradient(const StepContext& step)
{
    const kernels::MatrixView grad = m_buffers.output->gradient(step.rows);
    if (!isTurned()) {
        return byLastAxis(grad, m_width);
    }
    const kernels::MatrixView turned = vectors(m_turnedOutput.data(), step.rows);
    turnUnitsLast(step.pool, m_factor, grad, turned);
    return turned;
}

/// TensorFlow's fused kernel, which it takes for images with the channels first or last, hands the
/// moving variance that of a sample: sum / (n - 1).
float BatchNormalizationLayer::unbiased(std::int64_t count) const
{
    const bool isFused = isFusedInTensorFlow(m_buffers.output->shape);
    return isFused && count > 1 ? static_cast<float>(count) / static_cast<float>(count - 1) : 1.0F;
}

bool BatchNormalizationLayer::isFusedInTensorFlow(const std::vector<std::int64_t>& row) const
{
    return row.size() == 3 && rowAxis(row.size(), m_axis) != 1;
}

std::span<float> BatchNormalizationLayer::variable(std::size_t index) const
{
    return m_buffers.variables[index].values.flat();
}

/// The gradient of the inputs needs these sums even if gamma and beta are not trained.
std::span<float> BatchNormalizationLayer::gradientOf(std::optional<std::size_t> place,
                                                     std::vector<float>& otherwise)
{
    if (place && m_buffers.variables[*place].gradient != nullptr) {
        return m_buffers.variables[*place].gradient->front().dense.flat();
    }
    return otherwise;
}

std::span<float> BatchNormalizationLayer::gammaGradient()
{
    return gradientOf(m_places.gamma, m_gammaGrad);
}

std::span<float> BatchNormalizationLayer::betaGradient()
{
    return gradientOf(m_places.beta, m_betaGrad);
}

kernels::BatchNormParameters BatchNormalizationLayer::parameters(Mode mode) const
{
    const bool byBatch = usesBatch(mode);
    const auto of = [&](std::optional<std::size_t> place, const std::vector<float>& otherwise) {
        return place ? std::span<const float>(variable(*place)) : std::span<const float>(otherwise);
    };
    return {.gamma = of(m_places.gamma, m_ones),
            .beta = of(m_places.beta, m_zeros),
            // Training normalizes by the batch's own moments, everything else by the moving ones.
            .mean = byBatch ? std::span<const float>(m_mean) : variable(m_places.movingMean),
            .variance =
                byBatch ? std::span<const float>(m_variance) : variable(m_places.movingVariance),
            .epsilon = m_epsilon};
}

void BatchNormalizationLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView src = source(step);
    // Across shards the moments have come from all of them, by collect(), merge() and receive().
    if (usesBatch(step.mode) && !step.isAcross) {
        const kernels::ConstMatrixView shown = shownOf(step, src);
        m_kernels->moments(step.pool, shown, m_mean, m_variance);
        m_momentRows = shown.rows;
    }
    const kernels::MatrixView output = m_buffers.output->output(step.rows);
    const kernels::MatrixView dst =
        isTurned() ? vectors(m_turnedOutput.data(), step.rows) : byLastAxis(output, m_width);
    m_kernels->normalize(step.pool, parameters(step.mode), src, dst);
    if (isTurned()) {
        turnUnitsBack(step.pool, m_factor, dst, output);
    }
}

kernels::BatchNormGradient BatchNormalizationLayer::gradient(const StepContext& step)
{
    return {.parameters = parameters(step.mode),
            .src = source(step),
            .dstGrad = outputGradient(step),
            // Of constants, or of hidden steps alone, nothing is divided by it.
            .momentRows = std::max(m_momentRows, std::int64_t{1})};
}

void BatchNormalizationLayer::backward(const StepContext& step)
{
    const kernels::BatchNormGradient known = gradient(step);
    const bool isAcross = step.isAcross && usesBatch(step.mode);
    std::span<const float> gammaGrad = m_gammaGrad;
    std::span<const float> betaGrad = m_betaGrad;
    if (!isAcross) {
        m_kernels->parameterGradients(step.pool, known, gammaGradient(), betaGradient());
        gammaGrad = gammaGradient();
        betaGrad = betaGradient();
    }
    if (!usesBatch(step.mode)) {
        // Nothing flows through moments that are constants.
        gammaGrad = m_zeros;
        betaGrad = m_zeros;
    }
    if (isMasked() && m_buffers.inputs[1]->grad != nullptr) {
        kernels::vectorKernels().fill(step.pool, m_buffers.inputs[1]->gradient(step.rows).flat(),
                                      0.0F);
    }
    if (m_buffers.inputs[0]->grad == nullptr) {
        return;
    }
    const kernels::MatrixView srcGrad = m_buffers.inputs[0]->gradient(step.rows);
    // The gradient of the turned output becomes that of the turned input in its place.
    const kernels::MatrixView dst =
        isTurned() ? vectors(m_turnedOutput.data(), step.rows) : byLastAxis(srcGrad, m_width);
    sourceGradient(step, known, gammaGrad, betaGrad, dst);
    if (isTurned()) {
        turnUnitsBack(step.pool, m_factor, dst, srcGrad);
    }
}

/// To a hidden step nothing flows through the moments, which it is no part of.
void BatchNormalizationLayer::sourceGradient(const StepContext& step,
                                             const kernels::BatchNormGradient& known,
                                             std::span<const float> gammaGrad,
                                             std::span<const float> betaGrad,
                                             kernels::MatrixView dst) const
{
    if (!isMasked()) {
        m_kernels->srcGradient(step.pool, known, gammaGrad, betaGrad, dst);
        return;
    }
    const std::span<const float> shown = mask(step);
    for (auto begin = shown.begin(); begin != shown.end();) {
        const bool isShown = *begin != 0.0F;
        const auto end = std::find_if(begin, shown.end(),
                                      [&](float number) { return (number != 0.0F) != isShown; });
        const std::int64_t first = begin - shown.begin();
        const std::int64_t count = end - begin;
        kernels::BatchNormGradient part = known;
        part.src = known.src.slice(first, count);
        part.dstGrad = known.dstGrad.slice(first, count);
        m_kernels->srcGradient(step.pool, part, isShown ? gammaGrad : m_zeros,
                               isShown ? betaGrad : m_zeros, dst.slice(first, count));
        begin = end;
    }
}

std::int64_t BatchNormalizationLayer::sumCount() const
{
    return kernels::partialMomentsSize(m_width);
}

void BatchNormalizationLayer::collect(const StepContext& step, Pass pass, std::span<double> sums)
{
    const auto width = static_cast<std::size_t>(m_width);
    const std::span<double> first = sums.subspan(1, width);
    const std::span<double> second = sums.subspan(1 + width, width);
    if (pass == Pass::Forward) {
        const kernels::ConstMatrixView shown = shownOf(step, source(step));
        m_kernels->partialMoments(step.pool, shown, first, second);
        // Travels with the sums: shards may differ in it, and means weigh by it.
        sums[0] = static_cast<double>(shown.rows);
        // The backward sums are those of dL/dgamma and dL/dbeta, from which the gradient of the
        // input follows.
        return;
    }
    sums[0] = 0.0;
    m_kernels->partialGradients(step.pool, gradient(step), first, second);
    kernels::gradientsOf(parameters(Mode::Train), first, second, gammaGradient(),
                         betaGradient()); // the shard's own: the step adds them up as all others
}

void BatchNormalizationLayer::merge(Pass pass, std::span<double> left,
                                    std::span<const double> right) const
{
    // Merging moments takes the rows of both sides; gradients are plain sums.
    if (pass == Pass::Forward) {
        kernels::mergeMoments(left, right);
    } else {
        std::ranges::transform(left, right, left.begin(), std::plus<>());
    }
}

void BatchNormalizationLayer::receive(Pass pass, std::span<const double> sums)
{
    if (pass == Pass::Forward) {
        m_momentRows = static_cast<std::int64_t>(sums[0]);
        kernels::momentsOf(sums, m_mean, m_variance);
        return;
    }
    // Of all shards together, so that each shard's input gradient is that of the global batch.
    const auto width = static_cast<std::size_t>(m_width);
    kernels::gradientsOf(parameters(Mode::Train), sums.subspan(1, width),
                         sums.subspan(1 + width, width), m_gammaGrad, m_betaGrad);
}

void BatchNormalizationLayer::bindStatistics(std::span<float> statistics)
{
    if (m_isFrozen) {
        return;
    }
    const auto width = static_cast<std::size_t>(m_width);
    m_mean = statistics.first(width);
    m_variance = statistics.subspan(width);
}

void BatchNormalizationLayer::updateStatistics(float scale)
{
    if (m_isFrozen) {
        return;
    }
    // The moments of several shards were added; `scale` makes their mean of it.
    for (const std::span<float> moments : {m_mean, m_variance}) {
        for (float& moment : moments) {
            moment *= scale;
        }
    }
    for (float& variance : m_variance) {
        variance *= unbiased(m_momentRows);
    }
    kernels::updateMovingMoments(variable(m_places.movingMean), m_mean, m_momentum);
    kernels::updateMovingMoments(variable(m_places.movingVariance), m_variance, m_momentum);
}

/// The nodes of tf.nn.batch_normalization, with its names: input * scale + (beta - mean * scale).
storage::EmittedValue BatchNormalizationLayer::emitWith(const EmitContext& context,
                                                        const storage::NodeRef& mean,
                                                        const storage::NodeRef& variance) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const storage::FloatNodes nodes(graph);
    const auto binary = [&](const char* op, const char* name, const storage::NodeRef& x,
                            const storage::NodeRef& y) {
        return graph.add(op, name, {x, y}, {{"T", DType::Float32}});
    };
    const std::size_t rank = graph::rowShape(context.layers.value(context.node.inputs[0])).size();
    const std::size_t axis = rowAxis(rank, m_axis);
    const storage::NodeRef raised =
        binary("AddV2", "batchnorm/add", variance, graph.constant("batchnorm/add/y", m_epsilon));
    storage::NodeRef scale =
        graph.add("Rsqrt", "batchnorm/Rsqrt", {raised}, {{"T", DType::Float32}});
    if (m_places.gamma) {
        scale = binary("Mul", "batchnorm/mul", scale, context.variables[*m_places.gamma]->read);
    }
    const storage::NodeRef scaled =
        binary("Mul", "batchnorm/mul_1", nodeRef(context.inputs[0].dense),
               besideRows(nodes, scale, rank, axis));
    storage::NodeRef shift = binary("Mul", "batchnorm/mul_2", mean, scale);
    if (m_places.beta) {
        shift = binary("Sub", "batchnorm/sub", context.variables[*m_places.beta]->read, shift);
    } else {
        shift = graph.add("Neg", "batchnorm/Neg", {shift}, {{"T", DType::Float32}});
    }
    return {.dense =
                binary("AddV2", "batchnorm/add_1", scaled, besideRows(nodes, shift, rank, axis))
                    .input()};
}

/// Inference reads the moving moments.
storage::EmittedValue BatchNormalizationLayer::emit(const EmitContext& context) const
{
    return emitWith(context, context.variables[m_places.movingMean]->read,
                    context.variables[m_places.movingVariance]->read);
}

/// moving -= (moving - moment of the batch)(1 - momentum)
storage::EmittedValue
BatchNormalizationLayer::emitTraining(const EmitContext& context,
                                      std::vector<storage::NodeRef>& updates) const
{
    if (m_isFrozen) {
        return emit(context);
    }
    const storage::FloatNodes nodes(context.graph);
    const graph::Value& value = context.layers.value(context.node.inputs[0]);
    const std::vector<std::int64_t> shape = graph::rowShape(value);
    const std::size_t axis = rowAxis(shape.size(), m_axis);
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    // 1 for each vector that counts, or nothing if all do.
    std::optional<storage::NodeRef> shown;
    storage::NodeRef rows;
    if (context.inputs.size() == 2) {
        shown = nodes.reshape(
            nodes.truth("NotEqual", nodeRef(context.inputs[1].dense), nodes.number(0.0F)),
            {-1, static_cast<std::int32_t>(shape[0]), 1});
        rows = nodes.total(*shown);
    } else {
        rows = context.graph.add("Cast", "Cast", {context.batchSize},
                                 {{"SrcT", DType::Int32}, {"DstT", DType::Float32}});
        if (shape.size() > 1) {
            rows =
                nodes.multiply(rows, nodes.number(static_cast<float>(value.width / shape[axis])));
        }
    }
    const auto meanOf = [&](const storage::NodeRef& values) {
        // A batch without rows has zero moments instead of NaN.
        return nodes.divideOrZero(
            sumOfUnits(nodes, shown ? nodes.multiply(values, *shown) : values, shape, axis), rows);
    };
    const storage::NodeRef mean = meanOf(input);
    const storage::NodeRef deviations =
        nodes.subtract(input, besideRows(nodes, mean, shape.size(), axis));
    const storage::NodeRef variance = meanOf(nodes.apply("Square", {deviations}));
    const auto follow = [&](std::size_t moving, const storage::NodeRef& moment) {
        const storage::GraphVariable& variable = *context.variables[moving];
        // Layers that share statistics move them one after the other, as updateStatistics() does.
        const storage::NodeRef before =
            isUsedBefore(context, context.node.variables[moving])
                ? context.graph.add("ReadVariableOp", "ReadVariableOp", {variable.handle},
                                    {{"dtype", DType::Float32}}, updates)
                : variable.read;
        const storage::NodeRef change =
            nodes.multiply(nodes.subtract(before, moment), nodes.number(1.0F - m_momentum));
        updates.push_back(context.graph.add("AssignSubVariableOp", "AssignSubVariableOp",
                                            {variable.handle, change},
                                            {{"dtype", DType::Float32}}));
    };
    follow(m_places.movingMean, mean);
    // See unbiased().
    follow(m_places.movingVariance,
           isFusedInTensorFlow(shape)
               ? nodes.multiply(
                     variance,
                     nodes.divide(rows, nodes.larger(nodes.subtract(rows, nodes.number(1.0F)),
                                                     nodes.number(1.0F))))
               : variance);
    return emitWith(context, mean, variance);
}

std::unique_ptr<Layer> makeBatchNormalizationLayer(const spec::Layer& message)
{
    return std::make_unique<BatchNormalizationLayer>(message.batch_normalization());
}

} // namespace cannery::layers
