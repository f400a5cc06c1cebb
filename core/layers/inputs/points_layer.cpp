// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/points_layer.h"

#include "core/base/check.h"
#include "core/layers/inputs/lookup.h"
#include "core/layers/layer_errors.h"
#include "kernels/device/row_blocks.h"
#include "kernels/math/center_formulas.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

namespace {

void copyCounts(const ColumnRun& run, kernels::MatrixView dst)
{
    const kernels::IdsView& ids = run.source->ids;
    for (std::int64_t row = 0; row < dst.rows; ++row) {
        std::ranges::fill(dst.row(row), 0.0F);
        const auto at = static_cast<std::size_t>(row);
        for (std::int64_t entry = ids.rowOffsets[at]; entry < ids.rowOffsets[at + 1]; ++entry) {
            const std::int32_t id = ids.ids[static_cast<std::size_t>(entry)];
            if (id >= 0 && id < dst.cols) {
                dst.at(row)[id] += ids.weight(entry);
            }
        }
    }
}

} // namespace

void divideByLength(kernels::MatrixView rows)
{
    // kernels::scaleToUnitLength() bounds the length from below, as tf.math.l2_normalize does.
    for (std::int64_t row = 0; row < rows.rows; ++row) {
        const float scale = kernels::scaleToUnitLength(rows.at(row), rows.cols);
        for (float& value : rows.row(row)) {
            value *= scale;
        }
    }
}

kernels::MatrixView placeUnitLength(const Placement& placement, kernels::ConstMatrixView rows)
{
    const kernels::MatrixView divided = placement.program.scratchMatrix(rows.rows, rows.cols);
    placement.program.add(kernels::DivideByLength{.src = rows, .dst = divided}, placement.label);
    return divided;
}

storage::NodeRef emitUnitLength(storage::GraphDefBuilder& graph, const storage::NodeRef& rows)
{
    const storage::Attrs floats{{"T", DType::Float32}};
    const auto scope = graph.enterScope("l2_normalize");
    const auto squares = graph.add("Square", "Square", {rows}, floats);
    const auto sums =
        graph.add("Sum", "Sum", {squares, graph.constant("axis", std::vector<std::int32_t>{1})},
                  {{"T", DType::Float32}, {"Tidx", DType::Int32}, {"keep_dims", true}});
    const auto bounded = graph.add(
        "Maximum", "Maximum", {sums, graph.constant("epsilon", kernels::kLeastSquare)}, floats);
    // x * rsqrt(max(sum x², epsilon)).
    return graph.add("Mul", "Mul", {rows, graph.add("Rsqrt", "Rsqrt", {bounded}, floats)}, floats);
}

Result<LayerSignature> PointsLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("points", inputs, 1));
    CANNERY_CHECK(inputs[0]->kind == graph::ValueKind::Columns);
    LayerSignature signature;
    signature.output.width = inputs[0]->width;
    return signature;
}

void PointsLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void PointsLayer::forward(const StepContext& step)
{
    const kernels::MatrixView points = m_buffers.output->output(step.rows);
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        const kernels::MatrixView dst = points.columns(run.firstColumn, run.source->width);
        if (run.isIndicator()) {
            copyCounts(run, dst);
        } else {
            kernels::vectorKernels().copy(step.pool, run.source->values(step.rows), dst);
        }
    }
    if (m_unitLength) {
        kernels::forEachRowBlock(step.pool, step.rows, points.cols,
                                 [&](kernels::BlockRange block, int /*worker*/) {
                                     divideByLength(points.slice(block.first, block.count));
                                 });
    }
}

Result<void> PointsLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView points = program.at(m_buffers.output->output(placement.rows));
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        const kernels::MatrixView dst = points.columns(run.firstColumn, run.source->width);
        if (run.isIndicator()) {
            program.add(kernels::CountIds{.ids = run.source->placedIds, .dst = dst},
                        placement.label);
        } else {
            const kernels::ConstMatrixView src = program.at(run.source->values(placement.rows));
            program.add(kernels::CopyValues{.src = src, .dst = dst}, placement.label);
        }
    }
    if (m_unitLength) {
        program.add(kernels::DivideByLength{.src = points, .dst = points}, placement.label);
    }
    return {};
}

void PointsLayer::backward(const StepContext& /*step*/)
{
    CANNERY_CHECK(!"nothing before the points of k-means is trained");
}

storage::EmittedValue PointsLayer::emit(const EmitContext& context) const
{
    const storage::NodeRef rows = nodeRef(context.inputs[0].dense);
    return {.dense = m_unitLength ? emitUnitLength(context.graph, rows).input() : rows.input()};
}

} // namespace cannery::layers
