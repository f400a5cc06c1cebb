// SPDX-License-Identifier: Apache-2.0
#include "core/losses/loss.h"

#include "core/base/catalog.h"
#include "core/base/check.h"
#include "core/losses/loss_catalog.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace cannery::losses {

using kernels::ConstMatrixView;
using kernels::MatrixView;

namespace {

/// Makes a Hessian, row by row, of the numbers on its diagonal, which come first.
void spreadDiagonal(std::span<float> hessian, std::size_t width)
{
    std::ranges::fill(hessian.subspan(width), 0.0F);
    // From the end: the numbers come first, and element 1 must not be overwritten before it is
    // moved.
    for (std::size_t i = width; i-- > 1;) {
        hessian[i * (width + 1)] = std::exchange(hessian[i], 0.0F);
    }
}

} // namespace

Loss::Loss(LossKind kind, std::int64_t width, Reduction reduction)
    : m_kind(kind), m_width(width), m_reduction(reduction)
{
    const LossRow* row = findRow(lossCatalog(), kind);
    CANNERY_CHECK(row != nullptr && width > 0);
    m_kernel = row->kernel;
    m_lossWidth = row->count == LossCount::PerLogit ? width : 1;
    m_overLabels = row->count == LossCount::MeanPerRow;
}

void Loss::reserve(std::int64_t rows)
{
    const auto elements = static_cast<std::size_t>(rows * (m_overLabels ? m_width : m_lossWidth));
    // Never smaller: a step allocates only for a batch larger than any before.
    if (m_elements.size() < elements) {
        m_elements.resize(elements);
    }
    if (m_overLabels && m_means.size() < static_cast<std::size_t>(rows)) {
        m_means.resize(static_cast<std::size_t>(rows));
    }
}

double Loss::run(kernels::ThreadPool& pool, ConstMatrixView logits, ConstMatrixView labels,
                 ConstMatrixView weights, MatrixView logitsGrad, float factor)
{
    reserve(logits.rows);
    m_rows = logits.rows;
    const std::int64_t kernelWidth = m_overLabels ? m_width : m_lossWidth;
    const kernels::LossKernels& kernel =
        kernels::lossKernels({.loss = m_kernel, .rows = m_rows, .cols = m_width});
    kernel.run(pool, m_kernel,
               {.logits = logits,
                .labels = labels,
                .weights = weights,
                .gradientScale = gradientScale(m_rows, factor),
                .losses = kernels::matrixView(std::span<float>(m_elements), m_rows, kernelWidth),
                .logitsGrad = logitsGrad});
    // The kernel has a loss for each logit; TensorFlow's multi-label loss is their mean over a row.
    if (m_overLabels) {
        averageColumns(m_rows);
    }
    return weightedSum(weights) / divisorOf(m_rows);
}

double Loss::divisorOf(std::int64_t rows) const
{
    // SUM_OVER_BATCH_SIZE divides by the number of losses. Weights do not change it: rows of weight
    // 0 count.
    const std::int64_t count = rows * m_lossWidth;
    return m_reduction == Reduction::SumOverBatchSize && count > 0 ? static_cast<double>(count)
                                                                   : 1.0;
}

float Loss::gradientScale(std::int64_t rows, float factor) const
{
    const double scale = static_cast<double>(factor) / divisorOf(rows);
    // The mean over a row's logits is part of the loss, so each has 1 / width of its gradient.
    return static_cast<float>(m_overLabels ? scale / static_cast<double>(m_width) : scale);
}

void Loss::place(kernels::AcceleratorProgram& program, const PlacedBatch& batch) const
{
    constexpr std::string_view kLabel = "loss";
    const std::int64_t rows = batch.logits.rows;
    // With a count of rows that changes by step, the program divides by it when it runs (meanOf).
    // What is fixed here is then for one row.
    const bool isMasked = batch.rowCount.cursor != nullptr;
    const std::int64_t fixedRows = isMasked ? 1 : rows;
    const bool isMean = m_reduction == Reduction::SumOverBatchSize;
    const kernels::StepData meanOf = isMean ? batch.rowCount : kernels::StepData();
    MatrixView losses = program.scratchMatrix(rows, m_overLabels ? m_width : m_lossWidth);
    const float ofParts = isMean ? batch.factor / static_cast<float>(batch.parts) : batch.factor;
    program.add(kernels::LossOf{.loss = m_kernel,
                                .logits = batch.logits,
                                .labels = batch.labels,
                                .weights = batch.weights,
                                .gradientScale = gradientScale(fixedRows, ofParts),
                                .losses = losses,
                                .logitsGrad = batch.logitsGrad,
                                .labelOffset = batch.labelOffset,
                                .labelScale = batch.labelScale,
                                .meanOf = meanOf},
                kLabel);
    if (m_overLabels) {
        const MatrixView means = program.scratchMatrix(rows, 1);
        program.add(kernels::MeanOfColumns{.src = losses, .dst = means}, kLabel);
        losses = means;
    }
    kernels::SumLosses sum{.losses = losses,
                           .weights = batch.weights,
                           .scale = 1.0 / divisorOf(fixedRows),
                           .sum = batch.loss,
                           .meanOf = meanOf};
    program.add(sum, kLabel);
    // The same sum once more: the first is this head's loss, the second its share in the model's.
    if (batch.total != nullptr) {
        sum.scale *= static_cast<double>(batch.factor);
        sum.sum = batch.total;
        sum.addTo = batch.addsToTotal;
        program.add(sum, kLabel);
    }
}

void Loss::secondDerivatives(kernels::ThreadPool& pool, ConstMatrixView logits,
                             ConstMatrixView weights, MatrixView second) const
{
    const LossRow& loss = *findRow(lossCatalog(), m_kind);
    const float scale = gradientScale(logits.rows, 1.0F);
    const auto width = static_cast<std::size_t>(m_width);
    // A view wider than the logits asks for whole Hessians, width times width a row.
    const bool isWhole = second.cols > m_width;
    // Rows without gaps are one long row for a loss that treats each logit alone: one call a block.
    const bool isFlat =
        !isWhole && loss.count != LossCount::PerRow && logits.contiguous() && second.contiguous();
    const auto factorOf = [&](std::int64_t row, std::size_t logit) {
        return weights.data == nullptr ? scale
                                       : scale * weights.at(row)[weights.cols == 1 ? 0 : logit];
    };
    kernels::forEachRowBlock(pool, logits.rows, m_width, [&](kernels::BlockRange block, int) {
        for (std::int64_t row = block.first; row < block.first + block.count; ++row) {
            const std::span<float> values = second.row(row);
            if (isWhole && loss.hessian != nullptr) {
                loss.hessian(logits.row(row), values);
                for (std::size_t col = 0; col < values.size(); ++col) {
                    values[col] *= factorOf(row, col / width);
                }
                continue;
            }
            // The factor goes in first, and the loss multiplies it: no second pass over the values.
            for (std::size_t logit = 0; logit < width; ++logit) {
                values[logit] = factorOf(row, logit);
            }
            if (!isFlat) {
                loss.secondDerivatives(logits.row(row), values.first(width));
            }
            if (isWhole) {
                spreadDiagonal(values, width);
            }
        }
        if (isFlat) {
            loss.secondDerivatives(logits.slice(block.first, block.count).flat(),
                                   second.slice(block.first, block.count).flat());
        }
    });
}

ConstMatrixView Loss::losses() const
{
    return kernels::matrixView(std::span<const float>(m_overLabels ? m_means : m_elements), m_rows,
                               m_lossWidth);
}

void Loss::averageColumns(std::int64_t rows)
{
    const ConstMatrixView elements =
        kernels::matrixView(std::span<const float>(m_elements), rows, m_width);
    for (std::int64_t row = 0; row < rows; ++row) {
        double sum = 0.0;
        for (const float loss : elements.row(row)) {
            sum += static_cast<double>(loss);
        }
        m_means[static_cast<std::size_t>(row)] =
            static_cast<float>(sum / static_cast<double>(m_width));
    }
}

/// In double, in the order of the rows and on one thread: the same bits for any number of threads.
double Loss::weightedSum(ConstMatrixView weights) const
{
    const ConstMatrixView all = losses();
    double sum = 0.0;
    for (std::int64_t row = 0; row < all.rows; ++row) {
        const float* loss = all.at(row);
        const float* weight = weights.data == nullptr ? nullptr : weights.at(row);
        for (std::int64_t col = 0; col < all.cols; ++col) {
            const double factor =
                weight == nullptr ? 1.0 : static_cast<double>(weight[weights.cols == 1 ? 0 : col]);
            sum += static_cast<double>(loss[col]) * factor;
        }
    }
    return sum;
}

} // namespace cannery::losses
