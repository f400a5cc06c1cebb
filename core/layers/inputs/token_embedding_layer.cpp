// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/token_embedding_layer.h"

#include "core/layers/layer_errors.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"
#include "storage/tf/graphs/float_nodes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace cannery::layers {

namespace {

constexpr ErrorKind kNoTable{
    "layers.token_table", "A token_embedding has no table: give it input_dim, how many ids there "
                          "are, and output_dim, as in input_dim: 10000 output_dim: 16."};

/// Keras's "uniform".
spec::Initializer smallUniform()
{
    constexpr double kLimit = 0.05;
    spec::Initializer initializer;
    initializer.mutable_random_uniform()->set_minval(-kLimit);
    initializer.mutable_random_uniform()->set_maxval(kLimit);
    return initializer;
}

/// -1 if the number is not an id (NaN fails both comparisons).
std::int32_t tokenRow(float number, std::int64_t ids)
{
    const bool isId =
        number >= 0.0F && number < static_cast<float>(ids) && number == std::floor(number);
    return isId ? static_cast<std::int32_t>(number) : -1;
}

} // namespace

Result<LayerSignature>
TokenEmbeddingLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("token_embedding", inputs, 1));
    CANNERY_TRY(expectDense("token_embedding", *inputs[0]));
    if (m_ids < 1 || m_dimension < 1) {
        return fail(ErrorCode::InvalidArgument, kNoTable);
    }
    CANNERY_TRY(
        expectCountable("token_embedding", *inputs[0],
                        static_cast<double>(inputs[0]->width) * static_cast<double>(m_dimension)));
    LayerSignature signature;
    signature.output.shape = graph::rowShape(*inputs[0]);
    signature.output.shape.push_back(m_dimension);
    signature.output.width = inputs[0]->width * m_dimension;
    signature.variables.push_back({.suffix = "embeddings",
                                   .shape = {m_ids, m_dimension},
                                   .initializer = smallUniform(),
                                   .gradient = graph::GradientKind::Sparse});
    return signature;
}

void TokenEmbeddingLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
    VariableBuffer& table = m_buffers.variables[0];
    m_lookup.prepare({.combiner = kernels::Combiner::Sum}, table.values.rows, m_dimension);
    const std::int64_t most = buffers.maxRows * buffers.inputs[0]->width;
    m_rows.resize(static_cast<std::size_t>(most));
    if (table.gradient != nullptr) {
        m_offsets.resize(m_rows.size() + 1);
        std::iota(m_offsets.begin(), m_offsets.end(), std::int64_t{0});
        m_segment = table.gradient->size();
        GradientSegment& segment = table.gradient->emplace_back();
        segment.rowCount = table.values.rows;
        segment.sparse = true;
        segment.isSliced = table.clipsSlices;
        segment.rows.reserve(std::min(most, table.values.rows) + 1, m_dimension);
    }
}

void TokenEmbeddingLayer::forward(const StepContext& step)
{
    const kernels::ConstMatrixView table = m_buffers.variables[0].values;
    const kernels::ConstMatrixView numbers = m_buffers.inputs[0]->values(step.range());
    const kernels::MatrixView dst = m_buffers.output->output(step.range());
    std::int32_t* rows = m_rows.data() + step.rowBegin * numbers.cols;
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange block, int) {
        for (std::int64_t i = block.first * numbers.cols;
             i < (block.first + block.count) * numbers.cols; ++i) {
            rows[i] = tokenRow(numbers.data[i], table.rows);
            float* target = dst.data + i * m_dimension;
            if (rows[i] < 0) {
                std::fill_n(target, m_dimension, std::numeric_limits<float>::quiet_NaN());
            } else {
                std::copy_n(table.at(rows[i]), m_dimension, target);
            }
        }
    });
}

void TokenEmbeddingLayer::backwardRows(const StepContext& part)
{
    // Ids have no gradient. Written all the same where one is wanted: it is undefined until then.
    if (m_buffers.inputs[0]->grad != nullptr) {
        kernels::vectorKernels().fill(part.pool, m_buffers.inputs[0]->gradient(part.range()).flat(),
                                      0.0F);
    }
}

std::vector<std::int64_t> TokenEmbeddingLayer::weightTasks() const
{
    return {m_buffers.output->width};
}

void TokenEmbeddingLayer::backwardWeights(const StepContext& step, std::size_t /*task*/)
{
    const VariableBuffer& table = m_buffers.variables[0];
    if (table.gradient == nullptr) {
        return;
    }
    const std::int64_t numbers = step.rows * m_buffers.inputs[0]->width;
    ValueBuffer source;
    source.ids.rowOffsets =
        std::span<const std::int64_t>(m_offsets).first(static_cast<std::size_t>(numbers) + 1);
    source.ids.ids = std::span<const std::int32_t>(m_rows).first(static_cast<std::size_t>(numbers));
    source.mostIds = static_cast<std::int64_t>(m_rows.size());
    GradientSegment& segment = (*table.gradient)[m_segment];
    const kernels::MatrixView slices =
        byLastAxis(m_buffers.output->gradient(step.rows), m_dimension);
    if (segment.isSliced) {
        const kernels::VectorKernels& vector = kernels::vectorKernels();
        if (table.clipvalue) {
            vector.clipByValue(step.pool, slices.flat(), -*table.clipvalue, *table.clipvalue);
        }
        segment.sliceSquares = static_cast<float>(vector.sumOfSquares(step.pool, slices.flat()));
    }
    m_lookup.sparseGradient(step, source, table.values, slices, false, segment.rows);
}

void TokenEmbeddingLayer::backward(const StepContext& step)
{
    backwardRows(step);
    backwardWeights(step, 0);
}

storage::EmittedValue TokenEmbeddingLayer::emit(const EmitContext& context) const
{
    const storage::FloatNodes nodes(context.graph);
    // As a list, like the ids of all lookups here: the gradient adds up rows of equal ids.
    const storage::NodeRef ids =
        context.graph.add("Cast", "Cast", {nodes.flat(nodeRef(context.inputs[0].dense))},
                          {{"SrcT", DType::Float32}, {"DstT", DType::Int64}});
    const storage::NodeRef rows =
        context.graph.add("ResourceGather", "embedding_lookup", {context.variables[0]->handle, ids},
                          {{"dtype", DType::Float32}, {"Tindices", DType::Int64}});
    storage::FloatNodes::Ints shape{-1};
    for (const std::int64_t size : graph::rowShape(context.layers.value(context.node.output))) {
        shape.push_back(static_cast<std::int32_t>(size));
    }
    return {.dense = nodes.reshape(rows, shape).input()};
}

std::unique_ptr<Layer> makeTokenEmbeddingLayer(const spec::Layer& message)
{
    return std::make_unique<TokenEmbeddingLayer>(message.token_embedding());
}

} // namespace cannery::layers
