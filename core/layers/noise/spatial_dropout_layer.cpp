// SPDX-License-Identifier: Apache-2.0
#include "core/layers/noise/spatial_dropout_layer.h"

#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "core/layers/noise/random_emission.h"
#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

namespace {

constexpr ErrorKind kSpatialRank{
    "layers.spatial_dropout_rank",
    "A layer {} drops channels of {}, and rows of '{}' have the shape {}: put a reshape before it, "
    "or take dropout."};

} // namespace

Result<LayerSignature>
SpatialDropoutLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs(m_options.kind, inputs, 1));
    CANNERY_TRY(expectDense(m_options.kind, *inputs[0]));
    if (graph::rowShape(*inputs[0]).size() != m_options.rank) {
        return fail(ErrorCode::InvalidArgument, kSpatialRank, m_options.kind, m_options.rows,
                    inputs[0]->name, graph::shapeText(*inputs[0]));
    }
    return signatureLike(*inputs[0]);
}

void SpatialDropoutLayer::prepare(const LayerBuffers& buffers)
{
    bind(buffers);
    const std::int64_t channels = buffers.output->shape.back();
    m_kernels = &kernels::dropoutKernels({.rows = buffers.maxRows, .cols = channels});
    m_factors.resize(static_cast<std::size_t>(buffers.maxRows * channels));
}

void SpatialDropoutLayer::draw(const StepContext& step, Pass /*pass*/, kernels::ConstMatrixView src,
                               kernels::MatrixView dst)
{
    // Scaling by 1 / (1 - rate) would give NaN for 0 / 0.
    if (m_options.rate >= 1.0F) {
        kernels::vectorKernels().fill(step.pool, dst.flat(), 0.0F);
        return;
    }
    // Drawn again in the backward pass: they depend on seed, layer, step and row only.
    const std::int64_t channels = buffers().output->shape.back();
    const kernels::MatrixView factors =
        kernels::matrixView(std::span<float>(m_factors), step.rowBegin + step.rows, channels)
            .slice(step.rowBegin, step.rows);
    kernels::vectorKernels().fill(step.pool, factors.flat(), 1.0F);
    m_kernels->run(step.pool,
                   {.rate = m_options.rate,
                    .seed = step.seed,
                    .layer = buffers().layerIndex,
                    .step = step.step,
                    .firstRow = step.firstRow + static_cast<std::uint64_t>(step.rowBegin)},
                   factors, factors);
    kernels::forEachRowBlock(step.pool, dst.rows, dst.cols, [&](kernels::BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* factor = factors.at(r);
            for (std::int64_t first = 0; first < dst.cols; first += channels) {
                const float* from = src.at(r) + first;
                float* to = dst.at(r) + first;
                for (std::int64_t c = 0; c < channels; ++c) {
                    // An infinite number that is dropped is 0, not NaN.
                    to[c] = factor[c] == 0.0F ? 0.0F : from[c] * factor[c];
                }
            }
        }
    });
}

storage::EmittedValue
SpatialDropoutLayer::emitTraining(const EmitContext& context,
                                  std::vector<storage::NodeRef>& /*updates*/) const
{
    storage::GraphDefBuilder& graph = context.graph;
    const std::vector<std::int64_t> shape =
        graph::rowShape(context.layers.value(context.node.output));
    // [batch, 1, ..., channels]
    std::vector<storage::NodeRef> sizes{context.batchSize};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool isChannels = axis + 1 == shape.size();
        sizes.push_back(
            graph.constant("size", static_cast<std::int32_t>(isChannels ? shape[axis] : 1)));
    }
    const storage::NodeRef noise =
        graph.add("Pack", "noise_shape", sizes,
                  {{"N", static_cast<std::int64_t>(sizes.size())}, {"T", DType::Int32}});
    return {
        .dense =
            emitDropout(graph, nodeRef(context.inputs[0].dense), m_options.rate, noise).input()};
}

} // namespace cannery::layers
