// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention/sequence_attention_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/noise/random_emission.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>

namespace cannery::layers {

Result<LayerSignature>
SequenceAttentionLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY_ASSIGN(const AttentionSizes sizes, checkAttention(m_options.kind, {}, inputs));
    LayerSignature signature;
    signature.output.width = sizes.queries * sizes.valueWidth;
    signature.output.shape = {sizes.queries, sizes.valueWidth};
    const bool isAdditive = m_options.score == Score::Additive;
    if (m_options.usesScale) {
        signature.variables.push_back(
            {.suffix = "scale",
             .shape = isAdditive ? Shape{sizes.keyWidth} : Shape{},
             .initializer = isAdditive ? graph::glorotUniform() : graph::ones()});
    }
    if (m_options.score == Score::Concat) {
        signature.variables.push_back(
            {.suffix = "concat_score_weight", .shape = Shape{}, .initializer = graph::ones()});
    }
    return signature;
}

const VariableBuffer* SequenceAttentionLayer::scaleVariable() const
{
    return m_options.usesScale ? m_buffers.variables.data() : nullptr;
}

/// What the terms of a score are multiplied by: one number for all, or one for each.
const VariableBuffer* SequenceAttentionLayer::weightVariable() const
{
    switch (m_options.score) {
    case Score::Concat:
        return &m_buffers.variables.back();
    case Score::Additive:
        return scaleVariable();
    case Score::Product:
        break;
    }
    return nullptr;
}

void SequenceAttentionLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    const AttentionSizes sizes = attentionSizes(buffers);
    m_problem = {.rows = buffers.maxRows,
                 .queries = sizes.queries,
                 .keys = sizes.keys,
                 .keyWidth = sizes.keyWidth,
                 .valueWidth = sizes.valueWidth,
                 .rule = m_options.score == Score::Product ? kernels::ScoreRule::Product
                                                           : kernels::ScoreRule::Sum,
                 .isCausal = m_options.isCausal};
    m_kernels = &kernels::attentionKernels(m_problem);
    const auto width = static_cast<std::size_t>(sizes.keyWidth);
    m_weights.assign(kMostRowParts * width, 1.0F);
    for (const VariableBuffer& variable : buffers.variables) {
        if (variable.gradient != nullptr) {
            variable.gradient->push_back({.rowCount = variable.values.rows});
        }
    }
    const auto rows = static_cast<std::size_t>(buffers.maxRows);
    const auto wants = [](const VariableBuffer* variable) {
        return variable != nullptr && variable->gradient != nullptr;
    };
    m_weightParts.resize(wants(weightVariable()) ? rows * width : 0);
    const bool hasScale = m_options.score != Score::Additive && wants(scaleVariable());
    m_scaleParts.resize(hasScale ? rows * (m_options.score == Score::Product ? 1 : width) : 0);
}

kernels::AttentionInputs SequenceAttentionLayer::inputsOf(const StepContext& step)
{
    const auto values = [&](std::size_t input) {
        return m_buffers.inputs[input]->values(step.range());
    };
    kernels::AttentionInputs inputs{
        .query = values(kQueryInput),
        .key = values(m_buffers.inputs.size() > kKeyInput ? kKeyInput : kValueInput),
        .value = values(kValueInput),
        .mask = attentionMask(m_buffers, step.range()),
        .dropRate = step.mode == Mode::Train ? m_options.dropRate : 0.0F,
        .seed = step.seed,
        .layer = m_buffers.layerIndex,
        .step = step.step,
        .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)};
    if (m_options.score != Score::Additive && m_options.usesScale) {
        inputs.scale = scaleVariable()->values.data[0];
    }
    // Parts of a batch pass at the same time: each has its own.
    const auto width = static_cast<std::size_t>(m_problem.keyWidth);
    const std::span<float> weights = std::span(m_weights).subspan(step.part * width, width);
    if (m_options.score == Score::Concat) {
        std::ranges::fill(weights, weightVariable()->values.data[0]);
    }
    inputs.weights = weights;
    if (m_options.score == Score::Additive && m_options.usesScale) {
        inputs.weights = scaleVariable()->values.flat();
    }
    return inputs;
}

/// Rows of the query that are hidden become 0.
void SequenceAttentionLayer::hideQueries(const StepContext& step, kernels::MatrixView rows) const
{
    if (m_buffers.inputs.size() <= kQueryMaskInput) {
        return;
    }
    const kernels::ConstMatrixView mask = m_buffers.inputs[kQueryMaskInput]->values(step.range());
    for (std::int64_t r = 0; r < rows.rows; ++r) {
        for (std::int64_t t = 0; t < m_problem.queries; ++t) {
            if (mask.at(r)[t] == 0.0F) {
                std::fill_n(rows.at(r) + t * m_problem.valueWidth, m_problem.valueWidth, 0.0F);
            }
        }
    }
}

void SequenceAttentionLayer::forward(const StepContext& step)
{
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    m_kernels->forward(step.pool, m_problem, inputsOf(step), dst);
    hideQueries(step, dst);
}

kernels::MatrixView SequenceAttentionLayer::partsOf(std::vector<float>& memory,
                                                    const StepContext& step) const
{
    if (memory.empty()) {
        return {};
    }
    const std::int64_t width = static_cast<std::int64_t>(memory.size()) / m_buffers.maxRows;
    return kernels::matrixView(std::span<float>(memory), m_buffers.maxRows, width)
        .slice(step.rowBegin, step.rows);
}

void SequenceAttentionLayer::backward(const StepContext& step)
{
    backwardRows(step);
    backwardWeights(step, 0);
}

void SequenceAttentionLayer::backwardRows(const StepContext& part)
{
    const auto gradientOf = [&](std::size_t input) {
        const ValueBuffer& buffer = *m_buffers.inputs[input];
        return buffer.grad == nullptr ? kernels::MatrixView{} : buffer.gradient(part.range());
    };
    clearMaskGradients(m_buffers, part);
    const kernels::MatrixView dstGrad = m_buffers.output->gradient(part.range());
    hideQueries(part, dstGrad);
    const bool hasKey = m_buffers.inputs.size() > kKeyInput;
    m_kernels->backward(part.pool, m_problem, inputsOf(part),
                        {.dstGrad = dstGrad,
                         .query = gradientOf(kQueryInput),
                         .key = gradientOf(hasKey ? kKeyInput : kValueInput),
                         .value = gradientOf(kValueInput),
                         .weights = partsOf(m_weightParts, part),
                         .scale = partsOf(m_scaleParts, part)});
}

std::vector<std::int64_t> SequenceAttentionLayer::weightTasks() const
{
    return m_buffers.variables.empty() ? std::vector<std::int64_t>()
                                       : std::vector<std::int64_t>{m_problem.keyWidth};
}

/// Row by row in their order; of a single number, term by term within a row.
void SequenceAttentionLayer::sumParts(const VariableBuffer& variable,
                                      const std::vector<float>& parts, std::int64_t rows) const
{
    const std::span<float> gradient = variable.gradient->front().dense.flat();
    const std::size_t width = parts.size() / static_cast<std::size_t>(m_buffers.maxRows);
    const std::size_t terms = width / gradient.size();
    for (std::size_t element = 0; element < gradient.size(); ++element) {
        double sum = 0;
        for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
            for (std::size_t term = 0; term < terms; ++term) {
                sum += double{parts[row * width + element * terms + term]};
            }
        }
        gradient[element] = static_cast<float>(sum);
    }
}

void SequenceAttentionLayer::backwardWeights(const StepContext& step, std::size_t /*task*/)
{
    if (!m_scaleParts.empty()) {
        sumParts(*scaleVariable(), m_scaleParts, step.rows);
    }
    if (!m_weightParts.empty()) {
        sumParts(*weightVariable(), m_weightParts, step.rows);
    }
}

/// [batch, queries, keys]
storage::NodeRef SequenceAttentionLayer::emitScores(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    const storage::NodeRef query = nodeRef(context.inputs[kQueryInput].dense);
    const storage::NodeRef key =
        nodeRef(context.inputs[context.inputs.size() > kKeyInput ? kKeyInput : kValueInput].dense);
    if (m_options.score == Score::Product) {
        const storage::NodeRef product =
            context.graph.add("BatchMatMulV2", "MatMul", {query, key},
                              {{"T", DType::Float32}, {"adj_x", false}, {"adj_y", true}});
        return m_options.usesScale ? nodes.multiply(product, context.variables[0]->read) : product;
    }
    const auto expanded = [&](const storage::NodeRef& value, std::int32_t axis) {
        return context.graph.add("ExpandDims", "ExpandDims",
                                 {value, context.graph.constant("axis", axis)},
                                 {{"T", DType::Float32}, {"Tdim", DType::Int32}});
    };
    constexpr std::int32_t kTerms = 3;
    storage::NodeRef sums = nodes.add(expanded(query, 2), expanded(key, 1));
    if (m_options.score == Score::Additive) {
        const storage::NodeRef bent = nodes.apply("Tanh", {sums});
        return nodes.sum(
            m_options.usesScale ? nodes.multiply(context.variables[0]->read, bent) : bent, kTerms);
    }
    if (m_options.usesScale) {
        sums = nodes.multiply(context.variables[0]->read, sums);
    }
    return nodes.multiply(context.variables.back()->read,
                          nodes.sum(nodes.apply("Tanh", {sums}), kTerms));
}

storage::EmittedValue SequenceAttentionLayer::emitWith(const EmitContext& context, bool drops) const
{
    const storage::FloatNodes nodes(context.graph);
    storage::NodeRef scores = emitScores(context);
    if (const auto hiding = emitHiding(context, m_options.isCausal, false)) {
        scores = nodes.add(scores, *hiding);
    }
    storage::NodeRef shares = nodes.apply("Softmax", {scores});
    if (drops && m_options.dropRate > 0.0F) {
        shares = emitDropout(context.graph, shares, m_options.dropRate, nodes.shape(shares));
    }
    storage::NodeRef result = context.graph.add(
        "BatchMatMulV2", "MatMul", {shares, nodeRef(context.inputs[kValueInput].dense)},
        {{"T", DType::Float32}, {"adj_x", false}, {"adj_y", false}});
    if (context.inputs.size() > kQueryMaskInput) {
        const auto queries = static_cast<std::int32_t>(attentionSizes(context).queries);
        result = nodes.multiply(
            result, nodes.reshape(emitTruth(context, kQueryMaskInput), {-1, queries, 1}));
    }
    return {.dense = result.input()};
}

storage::EmittedValue SequenceAttentionLayer::emit(const EmitContext& context) const
{
    return emitWith(context, false);
}

storage::EmittedValue
SequenceAttentionLayer::emitTraining(const EmitContext& context,
                                     std::vector<storage::NodeRef>& /*updates*/) const
{
    return emitWith(context, true);
}

} // namespace cannery::layers
