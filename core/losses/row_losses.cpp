// SPDX-License-Identifier: Apache-2.0
#include "core/losses/row_losses.h"

#include <algorithm>

namespace cannery::losses {

void RowLosses::reserve(std::int64_t rows)
{
    // Never smaller: a step allocates only for a batch larger than any before.
    if (m_losses.size() < static_cast<std::size_t>(rows)) {
        m_losses.resize(static_cast<std::size_t>(rows));
    }
}

double RowLosses::run(kernels::ThreadPool& pool, kernels::ConstMatrixView outputs,
                      kernels::ConstMatrixView labels, kernels::ConstMatrixView weights,
                      kernels::MatrixView outputsGrad, float factor)
{
    m_rows = outputs.rows;
    reserve(m_rows);
    const std::int64_t counted = countedRows(labels);
    // Weights are not in the divisor, as in Keras.
    const double divisor = m_reduction == Reduction::SumOverBatchSize && counted > 0
                               ? static_cast<double>(counted)
                               : 1.0;
    kernels::rowLossKernels({.loss = m_rule.loss, .rows = m_rows, .cols = outputs.cols})
        .run(pool, m_rule,
             {.outputs = outputs,
              .labels = labels,
              .weights = weights,
              .labelsAreBits = areBits(labels),
              .gradientScale = static_cast<float>(static_cast<double>(factor) / divisor),
              .losses = kernels::matrixView(std::span<float>(m_losses), m_rows, 1),
              .outputsGrad = outputsGrad});
    // In double, in the order of the rows and on one thread: the same bits for any number of
    // threads.
    double sum = 0.0;
    for (std::int64_t row = 0; row < m_rows; ++row) {
        const double weight = weights.data == nullptr ? 1.0 : static_cast<double>(*weights.at(row));
        sum += static_cast<double>(m_losses[static_cast<std::size_t>(row)]) * weight;
    }
    return sum / divisor;
}

kernels::ConstMatrixView RowLosses::losses() const
{
    return kernels::matrixView(std::span<const float>(m_losses), m_rows, 1);
}

std::int64_t RowLosses::countedRows(kernels::ConstMatrixView labels) const
{
    if (!m_rule.ignoredClass) {
        return labels.rows;
    }
    std::int64_t count = 0;
    for (std::int64_t row = 0; row < labels.rows; ++row) {
        count += static_cast<double>(*labels.at(row)) == static_cast<double>(*m_rule.ignoredClass)
                     ? 0
                     : 1;
    }
    return count;
}

/// Decided by the whole batch, as keras.losses._maybe_convert_labels does: one label of -1 makes
/// all of them signs.
bool RowLosses::areBits(kernels::ConstMatrixView labels) const
{
    const bool isHinge =
        m_rule.loss == kernels::RowLoss::Hinge || m_rule.loss == kernels::RowLoss::SquaredHinge;
    if (!isHinge || m_rule.labelsAreIds) {
        return isHinge;
    }
    for (std::int64_t row = 0; row < labels.rows; ++row) {
        if (!std::ranges::all_of(labels.row(row),
                                 [](float label) { return label == 0.0F || label == 1.0F; })) {
            return false;
        }
    }
    return true;
}

} // namespace cannery::losses
