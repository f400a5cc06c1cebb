// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/multi_head_attention_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <cmath>

namespace cannery::layers {

namespace {

constexpr ErrorKind kAttentionNumbers{
    "layers.attention_numbers",
    "A layer multi_head_attention would make {} numbers of each row of '{}', by kernels of {} "
    "numbers: give it fewer heads, or narrower keys and values."};

constexpr AttentionRules kMultiHeadRules{
    .mostInputs = 4, .needsSameWidth = false, .flattensSteps = true};

} // namespace

MultiHeadAttentionLayer::MultiHeadAttentionLayer(const spec::MultiHeadAttentionLayer& message)
    : m_heads(message.num_heads()), m_keyDim(message.key_dim()),
      m_valueDim(message.has_value_dim() ? message.value_dim() : message.key_dim()),
      m_outputWidth(message.output_width()), m_usesBias(message.use_bias()),
      m_isCausal(message.causal()), m_dropRate(static_cast<float>(message.dropout()))
{}

std::int64_t MultiHeadAttentionLayer::outputWidth(const AttentionSizes& sizes) const
{
    return m_outputWidth > 0 ? m_outputWidth : sizes.queryWidth;
}

Result<LayerSignature>
MultiHeadAttentionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY_ASSIGN(const AttentionSizes sizes,
                       checkAttention("multi_head_attention", kMultiHeadRules, inputs));
    const std::int64_t width = outputWidth(sizes);
    const std::array<double, 2> projected{
        static_cast<double>(m_heads) * static_cast<double>(m_keyDim),
        static_cast<double>(m_heads) * static_cast<double>(m_valueDim)};
    const double perStep = projected[0] + projected[1] + static_cast<double>(width);
    const double numbers = static_cast<double>(sizes.queries + sizes.keys) * perStep;
    const double depth =
        static_cast<double>(std::max({sizes.queryWidth, sizes.keyWidth, sizes.valueWidth, width}));
    if (numbers > kMostCountable || depth * perStep > kMostCountable) {
        return fail(ErrorCode::InvalidArgument, kAttentionNumbers, fmt::format("{:.3g}", numbers),
                    inputs[kQueryInput]->name, fmt::format("{:.3g}", depth * perStep));
    }
    LayerSignature signature;
    signature.output.shape = graph::rowShape(*inputs[kQueryInput]);
    signature.output.shape.back() = width;
    signature.output.width = sizes.queries * width;
    const auto add = [&](const char* name, Shape kernel, Shape bias) {
        signature.variables.push_back({.suffix = std::string(name) + "/kernel",
                                       .shape = std::move(kernel),
                                       .initializer = graph::glorotUniform()});
        if (m_usesBias) {
            signature.variables.push_back({.suffix = std::string(name) + "/bias",
                                           .shape = std::move(bias),
                                           .initializer = graph::zeros()});
        }
    };
    add("query", {sizes.queryWidth, m_heads, m_keyDim}, {m_heads, m_keyDim});
    add("key", {sizes.keyWidth, m_heads, m_keyDim}, {m_heads, m_keyDim});
    add("value", {sizes.valueWidth, m_heads, m_valueDim}, {m_heads, m_valueDim});
    add("attention_output", {m_heads, m_valueDim, width}, {width});
    return signature;
}

std::size_t MultiHeadAttentionLayer::kernelIndex(Part part) const
{
    return part * (m_usesBias ? 2 : 1);
}

const ValueBuffer& MultiHeadAttentionLayer::inputOf(Part part) const
{
    const bool hasKey = m_buffers.inputs.size() > kKeyInput;
    switch (part) {
    case kQueryPart:
        return *m_buffers.inputs[kQueryInput];
    case kKeyPart:
        return *m_buffers.inputs[hasKey ? kKeyInput : kValueInput];
    default:
        return *m_buffers.inputs[kValueInput];
    }
}

void MultiHeadAttentionLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const AttentionSizes sizes = attentionSizes(buffers);
    m_problem = {.rows = buffers.maxRows,
                 .heads = m_heads,
                 .queries = sizes.queries,
                 .keys = sizes.keys,
                 .keyWidth = m_keyDim,
                 .valueWidth = m_valueDim,
                 .isCausal = m_isCausal};
    m_kernels = &kernels::attentionKernels(m_problem);
    const std::array<std::int64_t, kPartCount> vectors{sizes.queries, sizes.keys, sizes.keys,
                                                       sizes.queries};
    const std::array<std::int64_t, kPartCount> widths{m_heads * m_keyDim, m_heads * m_keyDim,
                                                      m_heads * m_valueDim, m_heads * m_valueDim};
    const bool trains = buffers.output->grad != nullptr;
    for (const Part part : {kQueryPart, kKeyPart, kValuePart, kOutputPart}) {
        const std::size_t kernel = kernelIndex(part);
        const bool isLast = part == kOutputPart;
        m_projections[part].prepare(buffers,
                                    {.kernel = kernel,
                                     .bias = m_usesBias ? std::optional(kernel + 1) : std::nullopt,
                                     .vectors = buffers.maxRows * vectors[part],
                                     .depth = isLast ? widths[part] : inputOf(part).shape.back(),
                                     .cols = isLast ? outputWidth(sizes) : widths[part]});
        Projected& projected = m_projected[part];
        projected.vectors = vectors[part];
        projected.width = widths[part];
        const auto size =
            static_cast<std::size_t>(buffers.maxRows * projected.vectors * projected.width);
        projected.values.resize(size);
        projected.grads.resize(trains ? size : 0);
    }
    const bool addsUp =
        buffers.inputs.size() <= kKeyInput && buffers.inputs[kValueInput]->grad != nullptr;
    m_keyInputGrads.resize(
        addsUp ? static_cast<std::size_t>(buffers.maxRows * buffers.inputs[kValueInput]->width)
               : 0);
}

kernels::MatrixView MultiHeadAttentionLayer::some(Part part, std::vector<float>& memory,
                                                  kernels::BlockRange rows) const
{
    const Projected& projected = m_projected[part];
    return byLastAxis(rowsOf(part, memory, rows), projected.width);
}

kernels::MatrixView MultiHeadAttentionLayer::rowsOf(Part part, std::vector<float>& memory,
                                                    kernels::BlockRange rows) const
{
    const Projected& projected = m_projected[part];
    return kernels::matrixView(std::span<float>(memory), rows.first + rows.count,
                               projected.vectors * projected.width)
        .slice(rows.first, rows.count);
}

kernels::ConstMatrixView MultiHeadAttentionLayer::sourceOf(Part part,
                                                           kernels::BlockRange rows) const
{
    const ValueBuffer& input = inputOf(part);
    return byLastAxis(input.values(rows), input.shape.back());
}

kernels::AttentionInputs MultiHeadAttentionLayer::inputsOf(const StepContext& step)
{
    return {.query = rowsOf(kQueryPart, m_projected[kQueryPart].values, step.range()),
            .key = rowsOf(kKeyPart, m_projected[kKeyPart].values, step.range()),
            .value = rowsOf(kValuePart, m_projected[kValuePart].values, step.range()),
            .mask = attentionMask(m_buffers, step.range()),
            .scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(m_keyDim))),
            .dropRate = step.mode == Mode::Train ? m_dropRate : 0.0F,
            .seed = step.seed,
            .layer = m_buffers.layerIndex,
            .step = step.step,
            .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)};
}

void MultiHeadAttentionLayer::forward(const StepContext& step)
{
    for (const Part part : {kQueryPart, kKeyPart, kValuePart}) {
        m_projections[part].forward(step, sourceOf(part, step.range()),
                                    some(part, m_projected[part].values, step.range()));
    }
    std::vector<float>& weighed = m_projected[kOutputPart].values;
    m_kernels->forward(step.pool, m_problem, inputsOf(step),
                       rowsOf(kOutputPart, weighed, step.range()));
    m_projections[kOutputPart].forward(
        step, some(kOutputPart, weighed, step.range()),
        byLastAxis(m_buffers.output->output(step.range()), m_buffers.output->shape.back()));
}

void MultiHeadAttentionLayer::backward(const StepContext& step)
{
    backwardRows(step);
    for (std::size_t part = 0; part < kPartCount; ++part) {
        backwardWeights(step, part);
    }
}

void MultiHeadAttentionLayer::backwardRows(const StepContext& part)
{
    clearMaskGradients(m_buffers, part);
    const kernels::BlockRange rows = part.range();
    std::vector<float>& weighed = m_projected[kOutputPart].grads;
    m_projections[kOutputPart].srcGradient(
        part, byLastAxis(m_buffers.output->gradient(rows), m_buffers.output->shape.back()),
        some(kOutputPart, weighed, rows));
    m_kernels->backward(part.pool, m_problem, inputsOf(part),
                        {.dstGrad = rowsOf(kOutputPart, weighed, rows),
                         .query = rowsOf(kQueryPart, m_projected[kQueryPart].grads, rows),
                         .key = rowsOf(kKeyPart, m_projected[kKeyPart].grads, rows),
                         .value = rowsOf(kValuePart, m_projected[kValuePart].grads, rows)});
    passToInputs(part);
}

void MultiHeadAttentionLayer::passToInputs(const StepContext& step)
{
    const kernels::BlockRange rows = step.range();
    for (const Part part : {kQueryPart, kKeyPart, kValuePart}) {
        const ValueBuffer& input = inputOf(part);
        if (input.grad == nullptr) {
            continue;
        }
        const std::int64_t width = input.shape.back();
        const bool isSharedKey = part == kKeyPart && !m_keyInputGrads.empty();
        kernels::MatrixView srcGrad = input.gradient(rows);
        if (isSharedKey) {
            srcGrad = kernels::matrixView(std::span<float>(m_keyInputGrads),
                                          rows.first + rows.count, input.width)
                          .slice(rows.first, rows.count);
        }
        m_projections[part].srcGradient(step, some(part, m_projected[part].grads, rows),
                                        byLastAxis(srcGrad, width));
        // The value comes after the key.
        if (part == kValuePart && !m_keyInputGrads.empty()) {
            const kernels::MatrixView ofKey =
                kernels::matrixView(std::span<float>(m_keyInputGrads), rows.first + rows.count,
                                    input.width)
                    .slice(rows.first, rows.count);
            kernels::vectorKernels().add(step.pool, ofKey, srcGrad);
        }
    }
}

std::vector<std::int64_t> MultiHeadAttentionLayer::weightTasks() const
{
    std::vector<std::int64_t> costs;
    for (std::size_t part = 0; part < kPartCount; ++part) {
        costs.push_back(m_projections[part].cost() * m_projected[part].vectors);
    }
    return costs;
}

void MultiHeadAttentionLayer::backwardWeights(const StepContext& step, std::size_t task)
{
    const auto part = static_cast<Part>(task);
    const kernels::BlockRange rows = step.range();
    if (part == kOutputPart) {
        m_projections[part].weightsGradient(
            step, some(part, m_projected[part].values, rows),
            byLastAxis(m_buffers.output->gradient(rows), m_buffers.output->shape.back()));
    } else {
        m_projections[part].weightsGradient(step, sourceOf(part, rows),
                                            some(part, m_projected[part].grads, rows));
    }
}

std::string_view MultiHeadAttentionLayer::implementation() const
{
    return m_projections[kQueryPart].implementation();
}

std::unique_ptr<Layer> makeMultiHeadAttentionLayer(const spec::Layer& message)
{
    return std::make_unique<MultiHeadAttentionLayer>(message.multi_head_attention());
}

} // namespace cannery::layers
