// SPDX-License-Identifier: Apache-2.0
#include "core/layers/inputs/lookup.h"

#include "core/layers/placement.h"

#include <algorithm>

namespace cannery::layers {

void Lookup::prepare(const kernels::SparseCombineOptions& options, std::int64_t tableRows,
                     std::int64_t cols)
{
    m_options = options;
    m_kernels =
        &kernels::sparseCombineKernels({.tableRows = tableRows, .cols = cols, .options = options});
}

void Lookup::touchRowZero(kernels::SparseGradient& gradient)
{
    // As IndexedSlices in TensorFlow, which hold row 0 for padding: with a gradient of 0.
    if (std::find(gradient.rows.begin(), gradient.rows.end(), 0) == gradient.rows.end()) {
        gradient.rows.push_back(0);
        gradient.values.resize(gradient.values.size() + static_cast<std::size_t>(gradient.cols));
    }
}

void Lookup::forward(const StepContext& step, const kernels::IdsView& ids,
                     kernels::ConstMatrixView table, bool accumulate, kernels::MatrixView dst) const
{
    kernels::SparseCombineOptions options = m_options;
    options.accumulate = accumulate;
    m_kernels->forward(step.pool, ids, table, options, dst);
}

void Lookup::fetch(const kernels::IdsView& ids, kernels::ConstMatrixView table)
{
    const std::int64_t end = ids.rowOffsets.back();
    for (std::int64_t entry = ids.rowOffsets.front(); entry < end; ++entry) {
        // An address outside the table is harmless.
        __builtin_prefetch(table.data + ids.ids[entry] * table.stride);
    }
}

void Lookup::sparseGradient(const StepContext& step, const ValueBuffer& source,
                            kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                            bool asIndexedSlices, kernels::SparseGradient& gradient) const
{
    // If rows have several ids, later batches may have more ids than this one.
    const std::int64_t most = std::max(source.mostIds, source.ids.idCount());
    step.scratch().reserve(most);
    gradient.reserve(std::min(most, table.rows) + 1, table.cols);
    m_kernels->sparseGradient(step.pool, source.ids, table, m_options, dstGrad, step.scratch(),
                              gradient);
    if (asIndexedSlices && table.rows > 0 && gradient.anyRowEmpty) {
        touchRowZero(gradient);
    }
}

void Lookup::denseGradient(const StepContext& step, const kernels::IdsView& ids,
                           kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                           kernels::MatrixView gradient) const
{
    m_kernels->denseGradient(step.pool, ids, table, m_options, dstGrad, step.scratch(), gradient);
}

void Lookup::placeForward(const Placement& placement, const kernels::DeviceIds& ids,
                          kernels::ConstMatrixView table, bool accumulate,
                          kernels::MatrixView dst) const
{
    kernels::AcceleratorProgram& program = placement.program;
    kernels::SparseCombineOptions options = m_options;
    options.accumulate = accumulate;
    program.add(
        kernels::Lookup{.ids = ids, .table = program.at(table), .options = options, .dst = dst},
        placement.label);
}

kernels::DeviceSparse Lookup::placeSparseGradient(const Placement& placement,
                                                  const kernels::DeviceIds& ids,
                                                  kernels::ConstMatrixView table,
                                                  kernels::ConstMatrixView dstGrad,
                                                  bool asIndexedSlices) const
{
    kernels::AcceleratorProgram& program = placement.program;
    // One more row than ids, for row 0; but never more than the table has.
    const std::int64_t most = ids.capacity + (asIndexedSlices ? 1 : 0);
    const kernels::DeviceSparse gradient =
        placedRows(program, std::min(most, table.rows), table.cols, table.rows);
    program.add(kernels::LookupGradient{.ids = ids,
                                        .table = program.at(table),
                                        .options = m_options,
                                        .dstGrad = dstGrad,
                                        .withRowZero = asIndexedSlices && table.rows > 0,
                                        .gradient = gradient,
                                        .scratch = program.scratch(
                                            kernels::lookupScratchBytes(ids.capacity))},
                placement.label);
    return gradient;
}

void Lookup::placeGradient(const Placement& placement, const kernels::DeviceIds& ids,
                           kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                           bool asIndexedSlices, GradientSegment& segment) const
{
    if (segment.sparse) {
        segment.placed = placeSparseGradient(placement, ids, table, dstGrad, asIndexedSlices);
        return;
    }
    kernels::AcceleratorProgram& program = placement.program;
    program.add(kernels::LookupDenseGradient{.ids = ids,
                                             .table = program.at(table),
                                             .options = m_options,
                                             .dstGrad = dstGrad,
                                             .tableGrad = program.at(segment.dense),
                                             .scratch = program.scratch(
                                                 kernels::lookupScratchBytes(ids.capacity))},
                placement.label);
}

} // namespace cannery::layers
