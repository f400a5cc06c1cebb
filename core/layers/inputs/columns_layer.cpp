// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/columns_layer.h"

#include "core/layers/layer_errors.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>

namespace cannery::layers {

namespace {

/// How often each id occurs in a row, by its weight if ids have weights.
void countIds(const kernels::IdsView& ids, kernels::MatrixView counts)
{
    for (std::int64_t row = 0; row < counts.rows; ++row) {
        const std::span<float> own = counts.row(row);
        std::ranges::fill(own, 0.0F);
        const auto at = static_cast<std::size_t>(row);
        for (std::int64_t entry = ids.rowOffsets[at]; entry < ids.rowOffsets[at + 1]; ++entry) {
            // -1 stands for a value without a category.
            if (const std::int32_t id = ids.ids[static_cast<std::size_t>(entry)]; id >= 0) {
                own[static_cast<std::size_t>(id)] += ids.weight(entry);
            }
        }
    }
}

} // namespace

Result<LayerSignature> ColumnsLayer::signature(std::span<const graph::Value* const> inputs) const
{
    CANNERY_TRY(expectInputs("columns", inputs, 1));
    if (inputs[0]->kind != graph::ValueKind::Columns) {
        return fail(ErrorCode::InvalidArgument, kInputKind, "columns", graph::name(inputs[0]->kind),
                    inputs[0]->name, "columns");
    }
    LayerSignature signature;
    signature.output.width = inputs[0]->width;
    return signature;
}

void ColumnsLayer::prepare(const LayerBuffers& buffers)
{
    m_buffers = buffers;
}

void ColumnsLayer::forward(const StepContext& step)
{
    const kernels::VectorKernels& kernels = kernels::vectorKernels();
    const kernels::MatrixView output = m_buffers.output->output(step.range());
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        const kernels::MatrixView own = output.columns(run.firstColumn, run.source->width);
        if (!run.isIndicator()) {
            kernels.copy(step.pool, run.source->values(step.range()), own);
            continue;
        }
        countIds(rowsOf(run.source->ids, step.range()), own);
    }
}

void ColumnsLayer::backward(const StepContext& step)
{
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        if (run.source->grad != nullptr) {
            kernels::vectorKernels().copy(step.pool,
                                          m_buffers.output->gradient(step.range())
                                              .columns(run.firstColumn, run.source->width),
                                          run.source->gradient(step.range()));
        }
    }
}

Result<void> ColumnsLayer::placeForward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView dst = program.at(m_buffers.output->output(placement.rows));
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        if (run.isIndicator()) {
            return Layer::placeForward(placement);
        }
        program.add(kernels::CopyValues{.src = program.at(run.source->values(placement.rows)),
                                        .dst = dst.columns(run.firstColumn, run.source->width)},
                    placement.label);
    }
    return {};
}

Result<void> ColumnsLayer::placeBackward(const Placement& placement)
{
    kernels::AcceleratorProgram& program = placement.program;
    const kernels::MatrixView grad = program.at(m_buffers.output->gradient(placement.rows));
    for (const ColumnRun& run : m_buffers.inputs[0]->runs) {
        if (run.source->grad != nullptr) {
            program.add(
                kernels::CopyValues{.src = grad.columns(run.firstColumn, run.source->width),
                                    .dst = program.at(run.source->gradient(placement.rows))},
                placement.label);
        }
    }
    return {};
}

storage::EmittedValue ColumnsLayer::emit(const EmitContext& context) const
{
    // In TensorFlow columns are concatenated anyway.
    return context.inputs[0];
}

OwnLayer columnsLayer()
{
    return {.kind = "columns", .make = [] { return std::make_unique<ColumnsLayer>(); }};
}

} // namespace cannery::layers
