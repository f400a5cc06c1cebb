// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/embedding_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/placement.h"
#include "core/layers/recurrence/sequence_emission.h"
#include "core/layers/spec_options.h"

#include <cmath>

namespace cannery::layers {

namespace {

/// Whether some rows of a sequence have fewer steps than others.
bool isPadded(const ValueBuffer& sequence)
{
    const std::span<const std::int64_t> offsets = sequence.stepOffsets;
    for (std::size_t row = 2; row < offsets.size(); ++row) {
        if (offsets[row] - offsets[row - 1] != offsets[1] - offsets[0]) {
            return true;
        }
    }
    return false;
}

} // namespace

EmbeddingLayer::EmbeddingLayer(const spec::EmbeddingLayer& message)
    : m_dimension(message.dimension())
{
    m_options.combiner = combinerOf(message.combiner());
    m_options.anyWeight = !message.use_safe_embedding_lookup();
    if (message.has_max_norm()) {
        m_options.maxNorm = static_cast<float>(message.max_norm());
    }
}

Result<LayerSignature> EmbeddingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("embedding", inputs, 1));
    const graph::Value& ids = *inputs[0];
    if (ids.kind != graph::ValueKind::Ids && ids.kind != graph::ValueKind::Indicator) {
        return fail(ErrorCode::InvalidArgument, kInputKind, "embedding", graph::name(ids.kind),
                    ids.name, "ids");
    }
    LayerSignature signature;
    signature.output.width = m_dimension;
    signature.output.kind = ids.isSequence ? graph::ValueKind::Sequence : graph::ValueKind::Dense;
    // The default initializer of TensorFlow's embedding_column.
    const double stddev = 1.0 / std::sqrt(static_cast<double>(m_dimension));
    signature.variables.push_back({.suffix = "embedding_weights",
                                   .shape = {ids.width, m_dimension},
                                   .initializer = graph::truncatedNormal(stddev),
                                   .gradient = graph::GradientKind::Sparse});
    return signature;
}

void EmbeddingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    // TensorFlow looks steps up safely whatever use_safe_embedding_lookup is.
    m_options.anyWeight = m_options.anyWeight && buffers.output->kind == graph::ValueKind::Dense;
    VariableBuffer& table = m_buffers.variables[0];
    m_lookup.prepare(m_options, table.values.rows, m_dimension);
    if (table.gradient != nullptr) {
        m_segment = table.gradient->size();
        GradientSegment& segment = table.gradient->emplace_back();
        segment.rowCount = table.values.rows;
        segment.sparse = true;
        // One more row than the batch has: row 0 for padding, see touchRowZero().
        segment.rows.reserve(buffers.maxRows + 1, m_dimension);
    }
}

bool EmbeddingLayer::runsByRows() const
{
    return m_buffers.output->kind == graph::ValueKind::Dense;
}

/// Of a sequence, every step is a row with one id.
void EmbeddingLayer::bindSteps()
{
    m_steps = *m_buffers.inputs[0];
    m_memory.bind(m_steps.ids.rowOffsets, *m_buffers.output);
    const std::int64_t steps = m_buffers.output->stepCount();
    // Grows as needed: the numbers 0, 1, 2 … are the offsets of rows with one id each.
    while (static_cast<std::int64_t>(m_stepOffsets.size()) <= steps) {
        m_stepOffsets.push_back(static_cast<std::int64_t>(m_stepOffsets.size()));
    }
    m_steps.ids.rowOffsets =
        std::span<const std::int64_t>(m_stepOffsets).first(static_cast<std::size_t>(steps) + 1);
}

void EmbeddingLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView table = m_buffers.variables[0].values;
    if (m_buffers.output->kind == graph::ValueKind::Dense) {
        m_lookup.forward(step, rowsOf(m_buffers.inputs[0]->ids, step.range()), table, false,
                         m_buffers.output->output(step.range()));
        return;
    }
    bindSteps();
    m_lookup.forward(step, m_steps.ids, table, false,
                     m_buffers.output->output(m_buffers.output->stepCount()));
}

void EmbeddingLayer::backward(const StepContext& step)
{
    const VariableBuffer& table = m_buffers.variables[0];
    if (table.gradient == nullptr) {
        return;
    }
    const ValueBuffer& output = *m_buffers.output;
    const bool isSequence = output.kind == graph::ValueKind::Sequence;
    kernels::SparseGradient& gradient = (*table.gradient)[m_segment].rows;
    m_lookup.sparseGradient(step, isSequence ? m_steps : *m_buffers.inputs[0], table.values,
                            output.gradient(isSequence ? output.stepCount() : step.rows), true,
                            gradient);
    // Their gradient is 0, but an optimizer with momentum moves row 0 by having touched it.
    // TensorFlow pads sequences with steps that have no id.
    if (isSequence && isPadded(output)) {
        Lookup::touchRowZero(gradient);
    }
}

Result<void> EmbeddingLayer::placeForward(const Placement& placement)
{
    ValueBuffer& output = *m_buffers.output;
    const bool isSequence = output.kind == graph::ValueKind::Sequence;
    if (isSequence) {
        placeSequence(placement, output);
    }
    m_lookup.placeForward(
        placement, m_buffers.inputs[0]->placedIds, m_buffers.variables[0].values, false,
        isSequence ? output.placedSteps : placement.program.at(output.output(placement.rows)));
    return {};
}

Result<void> EmbeddingLayer::placeBackward(const Placement& placement)
{
    const VariableBuffer& table = m_buffers.variables[0];
    if (table.gradient != nullptr) {
        const ValueBuffer& output = *m_buffers.output;
        const bool isSequence = output.kind == graph::ValueKind::Sequence;
        m_lookup.placeGradient(placement, m_buffers.inputs[0]->placedIds, table.values,
                               isSequence ? output.placedStepGrads
                                          : placement.program.at(output.gradient(placement.rows)),
                               true, (*table.gradient)[m_segment]);
    }
    return {};
}

storage::EmittedValue EmbeddingLayer::emit(const EmitContext& context) const
{
    if (context.layers.value(context.node.output).kind == graph::ValueKind::Sequence) {
        return emitSequenceLookup(context, m_options.maxNorm);
    }
    return {.dense =
                emitLookup(context, context.inputs[0], *context.variables[0], m_options).input()};
}

std::unique_ptr<Layer> makeEmbeddingLayer(const spec::Layer& message)
{
    return std::make_unique<EmbeddingLayer>(message.embedding());
}

} // namespace cannery::layers
