// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/factored_step.h"

#include <algorithm>
#include <cmath>

namespace cannery::kernels::reference {

namespace {

/// In double, of q for some elements of the gradient, `stride` apart.
double meanOfSquares(const float* gradient, std::int64_t count, std::int64_t stride, double epsilon)
{
    double sum = 0.0;
    for (std::int64_t i = 0; i < count; ++i) {
        sum += double(gradient[i * stride]) * gradient[i * stride] + epsilon;
    }
    return sum / double(count);
}

double rootMeanSquare(std::span<const float> values)
{
    return std::sqrt(
        meanOfSquares(values.data(), static_cast<std::int64_t>(values.size()), 1, 0.0));
}

void follow(float& mean, double value, double share)
{
    mean = static_cast<float>(mean * share + value * (1.0 - share));
}

void updateSquares(const FactoredUpdate& update, const FactoredVariable& x)
{
    if (x.ofRows.empty()) {
        for (std::size_t i = 0; i < x.squares.size(); ++i) {
            follow(x.squares[i], double(x.gradient[i]) * x.gradient[i] + update.epsilon1,
                   update.share);
        }
        return;
    }
    for (std::int64_t m = 0; m < x.matrices; ++m) {
        const std::int64_t first = m * x.rows * x.cols;
        float* r = x.ofRows.data() + m * x.rows;
        float* c = x.ofColumns.data() + m * x.cols;
        for (std::int64_t row = 0; row < x.rows; ++row) {
            follow(
                r[row],
                meanOfSquares(x.gradient.data() + first + row * x.cols, x.cols, 1, update.epsilon1),
                update.share);
        }
        for (std::int64_t col = 0; col < x.cols; ++col) {
            follow(c[col],
                   meanOfSquares(x.gradient.data() + first + col, x.rows, x.cols, update.epsilon1),
                   update.share);
        }
        double meanOfRows = 0.0;
        for (std::int64_t row = 0; row < x.rows; ++row) {
            meanOfRows += r[row];
        }
        meanOfRows /= double(x.rows);
        for (std::int64_t i = 0; i < x.rows * x.cols; ++i) {
            x.squares[first + i] = static_cast<float>(r[i / x.cols] / meanOfRows * c[i % x.cols]);
        }
    }
}

void step(ThreadPool&, const FactoredUpdate& update, const FactoredVariable& x)
{
    if (x.weights.empty()) {
        return;
    }
    const double size = std::max(double(update.epsilon2), rootMeanSquare(x.weights));
    updateSquares(update, x);
    for (std::size_t i = 0; i < x.gradient.size(); ++i) {
        x.gradient[i] = static_cast<float>(x.gradient[i] / std::sqrt(double(x.squares[i])));
    }
    const double rate = size * update.rate /
                        std::max(1.0, rootMeanSquare(x.gradient) / double(update.clipThreshold));
    for (std::size_t i = 0; i < x.weights.size(); ++i) {
        x.weights[i] = static_cast<float>(x.weights[i] - rate * x.gradient[i]);
    }
}

} // namespace

const FactoredStepKernels kFactoredStep = {step};

} // namespace cannery::kernels::reference
