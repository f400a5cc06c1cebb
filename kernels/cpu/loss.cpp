// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/loss.h"

#include "kernels/cpu/softmax_row.h"
#include "kernels/device/row_blocks.h"

#include <cmath>

namespace cannery::kernels::cpu {

namespace {

float scaleAt(const LossArguments& arguments, std::int64_t row, std::int64_t col)
{
    const ConstMatrixView weights = arguments.weights;
    if (weights.data == nullptr) {
        return arguments.gradientScale;
    }
    return weights.at(row)[weights.cols == 1 ? 0 : col] * arguments.gradientScale;
}

/// The loss of a row without its gradient.
float softmaxLoss(std::span<const float> logits, std::int64_t target)
{
    // Subtracted, so that no power overflows.
    float maximum = logits[0];
    for (const float z : logits) {
        maximum = z > maximum ? z : maximum;
    }
    float sum = 0;
    for (const float z : logits) {
        sum += exponential(z - maximum);
    }
    return std::log(sum) + (maximum - logits[target]);
}

/// The loss of a row; leaves its gradient in `grad`, which holds the powers first.
float softmaxLoss(std::span<const float> logits, std::int64_t target, float scale, float* grad)
{
    const SoftmaxRow row = softmaxPowers(logits, grad);
    const auto cols = static_cast<std::int64_t>(logits.size());
    for (std::int64_t c = 0; c < cols; ++c) {
        // What is left of the powers is turned into the gradient in place.
        grad[c] = (grad[c] / row.sum - (c == target ? 1.0F : 0.0F)) * scale;
    }
    return std::log(row.sum) + (row.maximum - logits[target]);
}

void softmaxRow(const LossArguments& arguments, std::int64_t r)
{
    const float label = arguments.labels.at(r)[0];
    const auto logits = arguments.logits.row(r);
    const bool wantsGrad = arguments.logitsGrad.data != nullptr;
    float& loss = arguments.losses.at(r)[0];
    // A label beyond the classes shows in the loss, instead of in memory that is not the row's.
    if (!(label >= 0 && label < static_cast<float>(logits.size()))) {
        loss = std::numeric_limits<float>::quiet_NaN();
        if (wantsGrad) {
            std::fill_n(arguments.logitsGrad.at(r), logits.size(), loss);
        }
        return;
    }
    const auto target = static_cast<std::int64_t>(label);
    loss = wantsGrad
               ? softmaxLoss(logits, target, scaleAt(arguments, r, 0), arguments.logitsGrad.at(r))
               : softmaxLoss(logits, target);
}

/// Contiguous elements; `weights` is null, or has one per element.
struct LossRun
{
    const float* logits = nullptr;
    const float* labels = nullptr;
    const float* weights = nullptr;
    float scale = 1.0F;
    float* losses = nullptr;
    float* grad = nullptr; ///< null if it is not computed
    std::int64_t count = 0;
};

template <typename Formula>
void elementwise(const LossRun& run)
{
    // Two loops: without a branch each becomes vector instructions.
    for (std::int64_t i = 0; i < run.count; ++i) {
        run.losses[i] = Formula::value(run.logits[i], run.labels[i]);
    }
    if (run.grad == nullptr) {
        return;
    }
    // The same for gradients, with and without weights.
    if (run.weights == nullptr) {
        for (std::int64_t i = 0; i < run.count; ++i) {
            run.grad[i] = Formula::slope(run.logits[i], run.labels[i]) * run.scale;
        }
    } else {
        for (std::int64_t i = 0; i < run.count; ++i) {
            const float scale = run.weights[i] * run.scale;
            run.grad[i] = Formula::slope(run.logits[i], run.labels[i]) * scale;
        }
    }
}

/// One logit per row, without gaps: all rows are contiguous.
bool isFlat(const LossArguments& arguments)
{
    const ConstMatrixView weights = arguments.weights;
    const MatrixView grad = arguments.logitsGrad;
    return arguments.logits.cols == 1 && arguments.logits.stride == 1 &&
           arguments.labels.stride == 1 && arguments.losses.stride == 1 &&
           (weights.data == nullptr || weights.stride == 1) &&
           (grad.data == nullptr || grad.stride == 1);
}

/// `count` elements from row r on: those of this row, or one from each of that many rows.
LossRun runFrom(const LossArguments& arguments, std::int64_t r, std::int64_t count)
{
    const ConstMatrixView weights = arguments.weights;
    const bool wantsGrad = arguments.logitsGrad.data != nullptr;
    return {.logits = arguments.logits.at(r),
            .labels = arguments.labels.at(r),
            .weights = weights.data != nullptr ? weights.at(r) : nullptr,
            .scale = arguments.gradientScale,
            .losses = arguments.losses.at(r),
            .grad = wantsGrad ? arguments.logitsGrad.at(r) : nullptr,
            .count = count};
}

template <typename Formula>
void elementwiseRow(const LossArguments& arguments, std::int64_t r)
{
    LossRun run = runFrom(arguments, r, arguments.logits.cols);
    // One weight for the whole row becomes part of the scale.
    if (run.weights != nullptr && arguments.weights.cols == 1) {
        run.scale = scaleAt(arguments, r, 0);
        run.weights = nullptr;
    }
    elementwise<Formula>(run);
}

template <typename Formula>
void elementwiseRows(ThreadPool& pool, const LossArguments& arguments)
{
    const bool flat = isFlat(arguments);
    forEachRowBlock(pool, arguments.logits.rows, arguments.logits.cols, [&](BlockRange rows, int) {
        // One run over all rows, instead of one for each of a single element.
        if (flat) {
            elementwise<Formula>(runFrom(arguments, rows.first, rows.count));
            return;
        }
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            elementwiseRow<Formula>(arguments, r);
        }
    });
}

void softmaxRows(ThreadPool& pool, const LossArguments& arguments)
{
    forEachRowBlock(pool, arguments.logits.rows, arguments.logits.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            softmaxRow(arguments, r);
        }
    });
}

void run(ThreadPool& pool, Loss loss, const LossArguments& arguments)
{
    switch (loss) {
    case Loss::SigmoidCrossEntropy:
        return elementwiseRows<SigmoidCrossEntropyFormula>(pool, arguments);
    case Loss::SoftmaxCrossEntropy:
        return softmaxRows(pool, arguments);
    case Loss::SquaredError:
        return elementwiseRows<SquaredErrorFormula>(pool, arguments);
    case Loss::PoissonFull:
        return elementwiseRows<PoissonFullFormula>(pool, arguments);
    case Loss::Poisson:
        return elementwiseRows<PoissonFormula>(pool, arguments);
    }
}

} // namespace

const LossKernels kLoss = {run};

} // namespace cannery::kernels::cpu
