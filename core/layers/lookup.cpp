#include "core/layers/lookup.h"

namespace cannery::layers {

namespace {

/// Puts row 0 with zeros before the others unless it is there.
void touchRowZero(kernels::SparseGradient& gradient)
{
    if (!gradient.rows.empty() && gradient.rows.front() == 0) {
        return;
    }
    gradient.rows.insert(gradient.rows.begin(), 0);
    gradient.values.insert(gradient.values.begin(), static_cast<std::size_t>(gradient.cols), 0.0F);
}

} // namespace

void Lookup::prepare(const kernels::SparseCombineOptions& options, std::int64_t tableRows,
                     std::int64_t cols)
{
    m_options = options;
    m_kernels =
        &kernels::sparseCombineKernels({.tableRows = tableRows, .cols = cols, .options = options});
}

void Lookup::forward(const StepContext& step, const kernels::IdsView& ids,
                     kernels::ConstMatrixView table, bool accumulate, kernels::MatrixView dst) const
{
    kernels::SparseCombineOptions options = m_options;
    options.accumulate = accumulate;
    m_kernels->forward(step.pool, ids, table, options, dst);
}

bool Lookup::anyRowEmpty(const kernels::IdsView& ids, std::int64_t tableRows) const
{
    const bool needsPositiveWeight =
        m_options.combiner != kernels::Combiner::Sum && !ids.weights.empty();
    for (std::int64_t row = 0; row < ids.rows(); ++row) {
        bool empty = true;
        const auto index = static_cast<std::size_t>(row);
        for (std::int64_t entry = ids.rowOffsets[index]; empty && entry < ids.rowOffsets[index + 1];
             ++entry) {
            const std::int32_t id = ids.ids[static_cast<std::size_t>(entry)];
            empty = id < 0 || id >= tableRows || (needsPositiveWeight && !(ids.weight(entry) > 0));
        }
        if (empty) {
            return true;
        }
    }
    return false;
}

void Lookup::sparseGradient(const StepContext& step, const kernels::IdsView& ids,
                            kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                            bool asIndexedSlices, kernels::SparseGradient& gradient) const
{
    m_kernels->sparseGradient(step.pool, ids, table, m_options, dstGrad, step.scratch, gradient);
    if (asIndexedSlices && table.rows > 0 && anyRowEmpty(ids, table.rows)) {
        touchRowZero(gradient);
    }
}

void Lookup::denseGradient(const StepContext& step, const kernels::IdsView& ids,
                           kernels::ConstMatrixView table, kernels::ConstMatrixView dstGrad,
                           kernels::MatrixView gradient) const
{
    m_kernels->denseGradient(step.pool, ids, table, m_options, dstGrad, step.scratch, gradient);
}

} // namespace cannery::layers
