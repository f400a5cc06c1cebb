// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/program.h"
#include "kernels/ops/loss.h"

#include <cstdint>
#include <vector>

namespace cannery::losses {

enum class Reduction
{
    SumOverBatchSize, ///< sum of loss * weight / number of losses (weights are not in the divisor)
    Sum,              ///< sum of loss * weight
};

enum class LossKind
{
    SigmoidCrossEntropy,           ///< per logit
    SigmoidCrossEntropyOverLabels, ///< mean over the logits of a row: one loss per row
    SoftmaxCrossEntropy,           ///< per row; the label is a class id
    SquaredError,                  ///< per logit, without the factor 1/2
    PoissonFull, ///< per logit, including the terms that do not depend on the logit
    Poisson,     ///< per logit
};

/// A batch on an accelerator, for Loss::place(); views as Loss::run() takes them.
struct PlacedBatch
{
    kernels::ConstMatrixView logits;
    kernels::ConstMatrixView labels;
    kernels::ConstMatrixView weights;
    kernels::MatrixView logitsGrad;
    float factor = 1.0F; ///< of logitsGrad
    double parts = 1.0;  ///< of a mean: its gradient is divided by it, see heads::HeadBatch
    double* loss = nullptr;
    double* total = nullptr;  ///< if not null, becomes factor * loss, or
    bool addsToTotal = false; ///< total + factor * loss
    float labelOffset = 0.0F; ///< the loss is that of the label
    float labelScale = 1.0F;  ///< (label - labelOffset) / labelScale
    /// int64: how many rows a step has, where others are masked by a weight of 0; all of them if
    /// its cursor is null.
    kernels::StepData rowCount;
};

/// A loss of tf.estimator's heads over a batch: losses per element (formulas in
/// kernels/math/losses.h), their weighted reduction in double, and the gradient of the reduced
/// loss. One controlling thread at a time; allocates only if a batch is larger than any before.
class Loss
{
public:
    /// `width`: logits per row.
    Loss(LossKind kind, std::int64_t width, Reduction reduction);

    /// Losses per row: 1, or `width` for those computed per logit.
    std::int64_t lossWidth() const { return m_lossWidth; }
    Reduction reduction() const { return m_reduction; }
    /// Reserves memory for batches of this many rows.
    void reserve(std::int64_t rows);

    /// The reduced loss. `labels`: [rows, width], or [rows, 1] class ids. `weights`: [rows, 1] or
    /// [rows, lossWidth], or data null: all 1. `logitsGrad` ([rows, width], or data null: not
    /// computed) = factor * d loss / d logits; the returned loss is without the factor.
    double run(kernels::ThreadPool& pool, kernels::ConstMatrixView logits,
               kernels::ConstMatrixView labels, kernels::ConstMatrixView weights,
               kernels::MatrixView logitsGrad, float factor = 1.0F);

    /// What run() does, as operations of an accelerator.
    void place(kernels::AcceleratorProgram& program, const PlacedBatch& batch) const;

    /// The second derivatives of the reduced loss for logits and weights as in run(): by each logit
    /// alone, [rows, width], or each row's Hessian, row by row, [rows, width * width].
    void secondDerivatives(kernels::ThreadPool& pool, kernels::ConstMatrixView logits,
                           kernels::ConstMatrixView weights, kernels::MatrixView second) const;

    /// The losses of the last run before weighting: [rows, lossWidth].
    kernels::ConstMatrixView losses() const;

private:
    void averageColumns(std::int64_t rows);
    double weightedSum(kernels::ConstMatrixView weights) const;
    /// Of the sum of all weighted losses.
    double divisorOf(std::int64_t rows) const;
    float gradientScale(std::int64_t rows, float factor) const;

    LossKind m_kind;
    kernels::Loss m_kernel;
    std::int64_t m_width = 1;
    std::int64_t m_lossWidth = 1;
    bool m_overLabels = false;
    Reduction m_reduction;
    std::int64_t m_rows = 0;
    std::vector<float> m_elements; ///< as returned by the kernel
    std::vector<float> m_means;    ///< only for losses over labels
};

} // namespace cannery::losses
