// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/losses/loss.h"
#include "kernels/ops/row_loss.h"

#include <cstdint>
#include <vector>

namespace cannery::losses {

/// A loss of Keras over a batch: one number per row (kernels/ops/row_loss.h), weighted and reduced
/// as keras.losses.Loss does, and the gradient of the reduced loss. One controlling thread at a
/// time; allocates only if a batch is larger than any before.
class RowLosses
{
public:
    RowLosses(const kernels::RowLossRule& rule, Reduction reduction)
        : m_rule(rule), m_reduction(reduction)
    {}

    const kernels::RowLossRule& rule() const { return m_rule; }
    Reduction reduction() const { return m_reduction; }
    /// Reserves memory for batches of this many rows.
    void reserve(std::int64_t rows);

    /// The reduced loss of a batch: the sum of loss * weight, for SumOverBatchSize divided by the
    /// number of rows that count; 0 if none does. outputs and outputsGrad: [rows, width]; labels:
    /// [rows, width], or [rows, 1] of ids; weights: [rows, 1], all 1 if data is null.
    /// `outputsGrad` (data null: not computed) = factor * d loss / d outputs.
    double run(kernels::ThreadPool& pool, kernels::ConstMatrixView outputs,
               kernels::ConstMatrixView labels, kernels::ConstMatrixView weights,
               kernels::MatrixView outputsGrad, float factor = 1.0F);

    /// The losses of the last run before weighting: [rows, 1].
    kernels::ConstMatrixView losses() const;

private:
    /// Rows of another class than the ignored one.
    std::int64_t countedRows(kernels::ConstMatrixView labels) const;
    bool areBits(kernels::ConstMatrixView labels) const;

    kernels::RowLossRule m_rule;
    Reduction m_reduction;
    std::int64_t m_rows = 0;
    std::vector<float> m_losses;
};

} // namespace cannery::losses
