// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/loss.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::kernels::reference {

namespace {

double weightAt(const LossArguments& arguments, std::int64_t row, std::int64_t col)
{
    if (arguments.weights.data == nullptr) {
        return 1.0;
    }
    return arguments.weights.at(row)[arguments.weights.cols == 1 ? 0 : col];
}

void softmax(const LossArguments& arguments)
{
    const ConstMatrixView logits = arguments.logits;
    for (std::int64_t r = 0; r < logits.rows; ++r) {
        const float label = arguments.labels.at(r)[0];
        // A label beyond the classes shows as NaN.
        const bool valid = label >= 0 && label < static_cast<float>(logits.cols);
        float maximum = -std::numeric_limits<float>::infinity();
        for (const float z : logits.row(r)) {
            // Subtracted, so that no power overflows.
            maximum = std::max(maximum, z);
        }
        double sum = 0;
        for (const float z : logits.row(r)) {
            sum += std::exp(static_cast<double>(z) - maximum);
        }
        const auto target = valid ? static_cast<std::int64_t>(label) : 0;
        const double loss = std::log(sum) + maximum - logits.at(r)[target];
        arguments.losses.at(r)[0] =
            valid ? static_cast<float>(loss) : std::numeric_limits<float>::quiet_NaN();
        if (arguments.logitsGrad.data == nullptr) {
            continue;
        }
        const double scale = weightAt(arguments, r, 0) * arguments.gradientScale;
        for (std::int64_t c = 0; c < logits.cols; ++c) {
            const double share = std::exp(static_cast<double>(logits.at(r)[c]) - maximum) / sum;
            arguments.logitsGrad.at(r)[c] =
                valid ? static_cast<float>((share - (c == target ? 1 : 0)) * scale)
                      : std::numeric_limits<float>::quiet_NaN();
        }
    }
}

template <typename Formula>
void elementwise(const LossArguments& arguments)
{
    for (std::int64_t r = 0; r < arguments.logits.rows; ++r) {
        for (std::int64_t c = 0; c < arguments.logits.cols; ++c) {
            const double z = arguments.logits.at(r)[c];
            const double y = arguments.labels.at(r)[c];
            arguments.losses.at(r)[c] = static_cast<float>(Formula::value(z, y));
            if (arguments.logitsGrad.data != nullptr) {
                const double scale = weightAt(arguments, r, c) * arguments.gradientScale;
                arguments.logitsGrad.at(r)[c] = static_cast<float>(Formula::slope(z, y) * scale);
            }
        }
    }
}

void run(ThreadPool&, Loss loss, const LossArguments& arguments)
{
    switch (loss) {
    case Loss::SigmoidCrossEntropy:
        return elementwise<SigmoidCrossEntropyFormula>(arguments);
    case Loss::SoftmaxCrossEntropy:
        return softmax(arguments);
    case Loss::SquaredError:
        return elementwise<SquaredErrorFormula>(arguments);
    case Loss::PoissonFull:
        return elementwise<PoissonFullFormula>(arguments);
    case Loss::Poisson:
        return elementwise<PoissonFormula>(arguments);
    }
}

} // namespace

const LossKernels kLoss = {run};

} // namespace cannery::kernels::reference
