// SPDX-License-Identifier: Apache-2.0
#include "core/layers/lookup.h"

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

} // namespace cannery::layers
