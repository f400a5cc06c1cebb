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

template <typename Formula>
void elementwiseRow(const LossArguments& arguments, std::int64_t r)
{
    const float* z = arguments.logits.at(r);
    const float* y = arguments.labels.at(r);
    float* losses = arguments.losses.at(r);
    for (std::int64_t c = 0; c < arguments.logits.cols; ++c) {
        losses[c] = Formula::value(z[c], y[c]);
    }
    if (arguments.logitsGrad.data == nullptr) {
        return;
    }
    float* grad = arguments.logitsGrad.at(r);
    for (std::int64_t c = 0; c < arguments.logits.cols; ++c) {
        grad[c] = Formula::slope(z[c], y[c]) * scaleAt(arguments, r, c);
    }
}

void run(ThreadPool& pool, Loss loss, const LossArguments& arguments)
{
    const auto eachRow = [&](auto rowFunction) {
        forEachRowBlock(pool, arguments.logits.rows, arguments.logits.cols,
                        [&](BlockRange rows, int) {
                            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                                rowFunction(arguments, r);
                            }
                        });
    };
    switch (loss) {
    case Loss::SigmoidCrossEntropy:
        return eachRow(elementwiseRow<SigmoidCrossEntropyFormula>);
    case Loss::SoftmaxCrossEntropy:
        return eachRow(softmaxRow);
    case Loss::SquaredError:
        return eachRow(elementwiseRow<SquaredErrorFormula>);
    case Loss::PoissonFull:
        return eachRow(elementwiseRow<PoissonFullFormula>);
    case Loss::Poisson:
        return eachRow(elementwiseRow<PoissonFormula>);
    }
}

} // namespace

const LossKernels kLoss = {run};

} // namespace cannery::kernels::cpu
