// SPDX-License-Identifier: Apache-2.0
#include "core/layers/embedding_layer.h"

#include "core/graph/initializers.h"
#include "core/layers/layer_errors.h"
#include "core/layers/spec_options.h"

#include <cmath>

namespace cannery::layers {

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
    VariableBuffer& table = m_buffers.variables[0];
    m_lookup.prepare(m_options, table.values.rows, m_dimension);
    if (table.gradient != nullptr) {
        m_segment = table.gradient->size();
        GradientSegment& segment = table.gradient->emplace_back();
        segment.rowCount = table.values.rows;
        segment.sparse = true;
        segment.rows.reserve(buffers.maxRows + 1, m_dimension);
    }
}

void EmbeddingLayer::forward(const StepContext& step)
{
    m_lookup.forward(step, m_buffers.inputs[0]->ids, m_buffers.variables[0].values, false,
                     m_buffers.output->output(step.rows));
}

void EmbeddingLayer::backward(const StepContext& step)
{
    const VariableBuffer& table = m_buffers.variables[0];
    if (table.gradient != nullptr) {
        m_lookup.sparseGradient(step, *m_buffers.inputs[0], table.values,
                                m_buffers.output->gradient(step.rows), true,
                                (*table.gradient)[m_segment].rows);
    }
}

storage::EmittedValue EmbeddingLayer::emit(const EmitContext& context) const
{
    return {.dense =
                emitLookup(context, context.inputs[0], *context.variables[0], m_options).input()};
}

std::unique_ptr<Layer> makeEmbeddingLayer(const spec::Layer& message)
{
    return std::make_unique<EmbeddingLayer>(message.embedding());
}

} // namespace cannery::layers
