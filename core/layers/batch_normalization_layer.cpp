// SPDX-License-Identifier: Apache-2.0
#include "core/layers/batch_normalization_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/lookup.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <functional>

namespace cannery::layers {

namespace {

enum : std::size_t
{
    kGamma,
    kBeta,
    kMovingMean,
    kMovingVariance,
};

/// Sums on an accelerator: what each member of the group has, and where this one puts its own. Null
/// for one that is alone.
struct PlacedSums
{
    double* all = nullptr; ///< [members, count]
    double* own = nullptr;
    std::int64_t count = 0;
};

PlacedSums placedSums(const Placement& placement, std::int64_t count)
{
    const kernels::GroupRank member = placement.across;
    if (member.size == 1) {
        return {};
    }
    // Scratch of bytes; doubles because the moments of members are merged in double.
    auto* const all = reinterpret_cast<double*>(
        placement.program.scratch(member.size * count * std::int64_t{sizeof(double)}));
    return {.all = all, .own = all + member.rank * count, .count = count};
}

/// They come together in each member; doubles travel as pairs of floats.
void placeGather(const Placement& placement, const PlacedSums& sums)
{
    constexpr std::int64_t kFloats = sizeof(double) / sizeof(float);
    placement.program.add(
        kernels::GatherParts{.group = placement.across,
                             .values = reinterpret_cast<float*>(sums.all),
                             .count = placement.across.size * sums.count * kFloats},
        placement.label);
}

} // namespace

BatchNormalizationLayer::BatchNormalizationLayer(const spec::BatchNormalizationLayer& message)
    : m_momentum(static_cast<float>(message.momentum())),
      m_epsilon(static_cast<float>(message.epsilon()))
{}

Result<LayerSignature>
BatchNormalizationLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("batch_normalization", inputs, 1));
    CANNERY_TRY(expectDense("batch_normalization", *inputs[0]));
    const Shape shape{graph::rowShape(*inputs[0]).back()};
    LayerSignature signature = signatureLike(*inputs[0]);
    signature.variables = {
        {.suffix = "gamma", .shape = shape, .initializer = graph::ones()},
        {.suffix = "beta", .shape = shape, .initializer = graph::zeros()},
        {.suffix = "moving_mean",
         .shape = shape,
         .initializer = graph::zeros(),
         .trainable = false},
        {.suffix = "moving_variance",
         .shape = shape,
         .initializer = graph::ones(),
         .trainable = false},
    };
    return signature;
}

void BatchNormalizationLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    m_width = buffers.output->shape.back();
    const auto width = static_cast<std::size_t>(m_width);
    m_gammaGrad.resize(width);
    m_betaGrad.resize(width);
    m_kernels = &kernels::batchNormKernels({.rows = buffers.maxRows * perRow(), .cols = m_width});
    // Scratch is used where gamma or beta is frozen, as the gradient of the input needs the sums.
    for (const std::size_t index : {kGamma, kBeta}) {
        if (buffers.variables[index].gradient != nullptr) {
            buffers.variables[index].gradient->push_back({.rowCount = 1});
        }
    }
}

std::int64_t BatchNormalizationLayer::perRow() const
{
    return m_buffers.output->width / m_width;
}

kernels::ConstMatrixView BatchNormalizationLayer::source(std::int64_t rows) const
{
    return byLastAxis(m_buffers.inputs[0]->values(rows), m_width);
}

/// TensorFlow's fused kernel, which it takes for images, hands the moving variance that of a
/// sample: sum / (n - 1).
float BatchNormalizationLayer::unbiased(std::int64_t count) const
{
    const bool isImage = m_buffers.output->shape.size() == 3;
    return isImage && count > 1 ? static_cast<float>(count) / static_cast<float>(count - 1) : 1.0F;
}

std::span<float> BatchNormalizationLayer::variable(std::size_t index) const
{
    return m_buffers.variables[index].values.flat();
}

std::span<float> BatchNormalizationLayer::gradientOf(std::size_t index)
{
    // The gradient of the inputs needs these sums even if gamma and beta are not trained.
    if (auto* gradient = m_buffers.variables[index].gradient; gradient != nullptr) {
        return gradient->front().dense.flat();
    }
    return index == kGamma ? m_gammaGrad : m_betaGrad;
}

kernels::BatchNormParameters BatchNormalizationLayer::parameters(Mode mode) const
{
    const bool training = mode == Mode::Train;
    return {.gamma = variable(kGamma),
            .beta = variable(kBeta),
            // Training normalizes by the batch's own moments, everything else by the moving ones.
            .mean = training ? std::span<const float>(m_mean) : variable(kMovingMean),
            .variance = training ? std::span<const float>(m_variance) : variable(kMovingVariance),
            .epsilon = m_epsilon};
}

void BatchNormalizationLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView src = source(step.rows);
    m_momentRows = step.isAcross ? m_momentRows : src.rows;
    // Across shards the moments have come from all of them, by collect(), merge() and receive().
    if (step.mode == Mode::Train && !step.isAcross) {
        m_kernels->moments(step.pool, src, m_mean, m_variance);
    }
    m_kernels->normalize(step.pool, parameters(step.mode), src,
                         byLastAxis(m_buffers.output->output(step.rows), m_width));
}

kernels::BatchNormGradient BatchNormalizationLayer::gradient(const StepContext& step) const
{
    return {.parameters = parameters(Mode::Train),
            .src = source(step.rows),
            .dstGrad = byLastAxis(m_buffers.output->gradient(step.rows), m_width),
            .momentRows = m_momentRows};
}

void BatchNormalizationLayer::backward(const StepContext& step)
{
    const kernels::BatchNormGradient known = gradient(step);
    std::span<const float> gammaGrad = m_gammaGrad;
    std::span<const float> betaGrad = m_betaGrad;
    if (!step.isAcross) {
        m_kernels->parameterGradients(step.pool, known, gradientOf(kGamma), gradientOf(kBeta));
        gammaGrad = gradientOf(kGamma);
        betaGrad = gradientOf(kBeta);
    }
    if (m_buffers.inputs[0]->grad != nullptr) {
        m_kernels->srcGradient(step.pool, known, gammaGrad, betaGrad,
                               byLastAxis(m_buffers.inputs[0]->gradient(step.rows), m_width));
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
    // The number of rows travels with the sums: shards may differ in it, and means weigh by it.
    sums[0] = static_cast<double>(step.rows * perRow());
    if (pass == Pass::Forward) {
        m_kernels->partialMoments(step.pool, source(step.rows), first, second);
        // The backward sums are those of dL/dgamma and dL/dbeta, from which the gradient of the
        // input follows.
        return;
    }
    m_kernels->partialGradients(step.pool, gradient(step), first, second);
    kernels::gradientsOf(parameters(Mode::Train), first, second, gradientOf(kGamma),
                         gradientOf(kBeta)); // the shard's own: the step adds them up as all others
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
    const auto width = static_cast<std::size_t>(m_width);
    m_mean = statistics.first(width);
    m_variance = statistics.subspan(width);
}

void BatchNormalizationLayer::updateStatistics(float scale)
{
    // The moments of several shards were added; `scale` makes their mean of it.
    for (const std::span<float> moments : {m_mean, m_variance}) {
        for (float& moment : moments) {
            moment *= scale;
        }
    }
    for (float& variance : m_variance) {
        variance *= unbiased(m_momentRows);
    }
    kernels::updateMovingMoments(variable(kMovingMean), m_mean, m_momentum);
    kernels::updateMovingMoments(variable(kMovingVariance), m_variance, m_momentum);
}

kernels::DeviceBatchNorm BatchNormalizationLayer::placedParameters(const Placement& placement) const
{
    const kernels::AcceleratorProgram& program = placement.program;
    const kernels::BatchNormParameters known = parameters(placement.mode);
    return {.gamma = program.at(known.gamma.data()),
            .beta = program.at(known.beta.data()),
            .mean = program.at(known.mean.data()),
            .variance = program.at(known.variance.data()),
            .epsilon = known.epsilon};
}

/// As the tree of plan::Sharding, if members look at the batches of all.
void BatchNormalizationLayer::placeMoments(const Placement& placement, kernels::ConstMatrixView src)
{
    kernels::AcceleratorProgram& program = placement.program;
    float* const mean = program.at(m_mean.data());
    float* const variance = program.at(m_variance.data());
    const PlacedSums sums = placedSums(placement, kernels::partialMomentsSize(src.cols));
    // Null until the members' rows are known: the kernel then takes the rows of its own batch.
    m_placedMomentRows = nullptr;
    program.add(
        kernels::BatchMoments{.src = src, .mean = mean, .variance = variance, .partial = sums.own},
        placement.label);
    if (sums.all == nullptr) {
        return;
    }
    // Every member merges all parts in the same order, so that all have the same bits.
    placeGather(placement, sums);
    auto* const rows = reinterpret_cast<double*>(program.scratch(sizeof(double)));
    program.add(kernels::MergeMoments{.parts = sums.all,
                                      .partCount = placement.across.size,
                                      .cols = src.cols,
                                      .mean = mean,
                                      .variance = variance,
                                      .rows = rows},
                placement.label);
    m_placedMomentRows = rows;
}

Result<void> BatchNormalizationLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::ConstMatrixView src = program.at(source(placement.rows));
    if (placement.mode == Mode::Train) {
        placeMoments(placement, src);
    }
    program.add(kernels::BatchNormalize{.parameters = placedParameters(placement),
                                        .src = src,
                                        .dst = program.at(byLastAxis(
                                            m_buffers.output->output(placement.rows), m_width))},
                placement.label);
    return {};
}

/// Or working memory, if it is not trained.
float* BatchNormalizationLayer::placedGradientOf(std::size_t index,
                                                 const Placement& placement) const
{
    if (const auto* gradient = m_buffers.variables[index].gradient; gradient != nullptr) {
        return placement.program.at(gradient->front().dense.data);
    }
    return placement.program.scratchFloats(m_width);
}

Result<void> BatchNormalizationLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::DeviceBatchNorm known = placedParameters(placement);
    const kernels::ConstMatrixView src = program.at(source(placement.rows));
    const kernels::ConstMatrixView dstGrad =
        program.at(byLastAxis(m_buffers.output->gradient(placement.rows), m_width));
    float* gammaGrad = placedGradientOf(kGamma, placement);
    float* betaGrad = placedGradientOf(kBeta, placement);
    const bool goesOn = m_buffers.inputs[0]->grad != nullptr;
    // Nothing before this layer is trained: the sums of the others are not needed.
    const PlacedSums sums = goesOn ? placedSums(placement, 2 * src.cols) : PlacedSums();
    program.add(kernels::BatchNormParameterGradients{.parameters = known,
                                                     .src = src,
                                                     .dstGrad = dstGrad,
                                                     .gammaGrad = gammaGrad,
                                                     .betaGrad = betaGrad,
                                                     .partial = sums.own},
                placement.label);
    if (!goesOn) {
        return {};
    }
    if (sums.all != nullptr) { // the member's own stay: the step adds them up as all others
        placeGather(placement, sums);
        gammaGrad = program.scratchFloats(src.cols);
        betaGrad = program.scratchFloats(src.cols);
        program.add(kernels::MergeBatchNormGradients{.parameters = known,
                                                     .parts = sums.all,
                                                     .partCount = placement.across.size,
                                                     .cols = src.cols,
                                                     .gammaGrad = gammaGrad,
                                                     .betaGrad = betaGrad},
                    placement.label);
    }
    program.add(
        kernels::BatchNormSrcGradient{.parameters = known,
                                      .src = src,
                                      .dstGrad = dstGrad,
                                      .gammaGrad = gammaGrad,
                                      .betaGrad = betaGrad,
                                      .srcGrad = program.at(byLastAxis(
                                          m_buffers.inputs[0]->gradient(placement.rows), m_width)),
                                      .momentRows = m_placedMomentRows},
        placement.label);
    return {};
}

void BatchNormalizationLayer::placeStatistics(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const auto place = [&](std::size_t moving, std::span<const float> batch, float factor) {
        program.add(
            kernels::UpdateMoving{.moving = program.at(variable(moving).data()),
                                  .batch = program.at(batch.data()),
                                  .size = m_width,
                                  .momentum = m_momentum,
                                  // The shards' moments were added up; the moving ones follow their
                                  // mean.
                                  .batchScale = factor / static_cast<float>(placement.shards)},
            placement.label);
    };
    place(kMovingMean, m_mean, 1.0F);
    place(kMovingVariance, m_variance, unbiased(placement.rows * perRow() * placement.across.size));
}

storage::EmittedValue BatchNormalizationLayer::emitWith(const EmitContext& context,
                                                        const storage::NodeRef& mean,
                                                        const storage::NodeRef& variance) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const auto binary = [&](const char* op, const char* name, const storage::NodeRef& x,
                            const storage::NodeRef& y) {
        return graph.add(op, name, {x, y}, {{"T", DType::Float32}});
    };
    const storage::NodeRef input = nodeRef(context.inputs[0].dense);
    // The nodes of tf.nn.batch_normalization, with its names: input * scale + (beta - mean *
    // scale).
    const storage::NodeRef raised =
        binary("AddV2", "batchnorm/add", variance, graph.constant("batchnorm/add/y", m_epsilon));
    const storage::NodeRef root =
        graph.add("Rsqrt", "batchnorm/Rsqrt", {raised}, {{"T", DType::Float32}});
    const storage::NodeRef scale =
        binary("Mul", "batchnorm/mul", root, context.variables[kGamma]->read);
    const storage::NodeRef scaled = binary("Mul", "batchnorm/mul_1", input, scale);
    const storage::NodeRef shift = binary("Mul", "batchnorm/mul_2", mean, scale);
    const storage::NodeRef offset =
        binary("Sub", "batchnorm/sub", context.variables[kBeta]->read, shift);
    return {.dense = binary("AddV2", "batchnorm/add_1", scaled, offset).input()};
}

/// Inference reads the moving moments.
storage::EmittedValue BatchNormalizationLayer::emit(const EmitContext& context) const
{
    return emitWith(context, context.variables[kMovingMean]->read,
                    context.variables[kMovingVariance]->read);
}

/// moving -= (moving - moment of the batch)(1 - momentum)
storage::EmittedValue
BatchNormalizationLayer::emitTraining(const EmitContext& context,
                                      std::vector<storage::NodeRef>& updates) const
{
    const storage::FloatNodes nodes(context.graph);
    const graph::Value& value = context.layers.value(context.node.inputs[0]);
    const std::vector<std::int64_t> shape = graph::rowShape(value);
    storage::NodeRef input = nodeRef(context.inputs[0].dense);
    storage::NodeRef rows = context.graph.add("Cast", "Cast", {context.batchSize},
                                              {{"SrcT", DType::Int32}, {"DstT", DType::Float32}});
    if (shape.size() > 1) {
        // Moments are those of the last axis over all others.
        input = nodes.apply("Reshape",
                            {input, nodes.ints({-1, static_cast<std::int32_t>(shape.back())})});
        rows = nodes.multiply(rows, nodes.number(static_cast<float>(value.width / shape.back())));
    }
    // A batch without rows has zero moments instead of NaN.
    const storage::NodeRef mean = nodes.divideOrZero(nodes.sum(input, 0), rows);
    const storage::NodeRef deviations = nodes.subtract(input, mean);
    const storage::NodeRef variance =
        nodes.divideOrZero(nodes.sum(nodes.apply("Square", {deviations}), 0), rows);
    const auto follow = [&](std::size_t moving, const storage::NodeRef& moment) {
        const storage::GraphVariable& variable = *context.variables[moving];
        const storage::NodeRef change =
            nodes.multiply(nodes.subtract(variable.read, moment), nodes.number(1.0F - m_momentum));
        updates.push_back(context.graph.add("AssignSubVariableOp", "AssignSubVariableOp",
                                            {variable.handle, change},
                                            {{"dtype", DType::Float32}}));
    };
    follow(kMovingMean, mean);
    // See unbiased().
    follow(kMovingVariance,
           shape.size() == 3
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
