// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"

#include <array>
#include <cmath>

namespace cannery::kernels {

namespace {

constexpr std::array<BatchNormImplementation, 2> kImplementations = {{
    {"avx2", acceptsAll<BatchNormProblem>, &cpu::kBatchNorm},
    {"reference", acceptsAll<BatchNormProblem>, &reference::kBatchNorm},
}};

} // namespace

std::span<const BatchNormImplementation> batchNormImplementations()
{
    return kImplementations;
}

const BatchNormKernels& batchNormKernels(const BatchNormProblem& problem)
{
    return *choose(batchNormImplementations(), problem).kernels;
}

void mergeMoments(std::span<double> left, std::span<const double> right)
{
    const auto cols = static_cast<std::int64_t>(left.size() / 2);
    double* const means = left.data() + 1;
    double* const squares = means + cols;
    for (std::int64_t col = 0; col < cols; ++col) {
        // In double, and by the formula for merging: sums of squares would cancel.
        PartialMoments merged = partialMomentsOf(left.data(), cols, col);
        merged.add(partialMomentsOf(right.data(), cols, col));
        means[col] = merged.mean;
        squares[col] = merged.squares;
    }
    left[0] += right[0];
}

void momentsOf(std::span<const double> merged, std::span<float> mean, std::span<float> variance)
{
    for (std::size_t col = 0; col < mean.size(); ++col) {
        mean[col] = static_cast<float>(merged[1 + col]);
        // The variance of a batch divides by its rows, as in Keras.
        variance[col] = static_cast<float>(merged[1 + mean.size() + col] / merged[0]);
    }
}

void gradientsOf(const BatchNormParameters& parameters, std::span<const double> products,
                 std::span<const double> sums, std::span<float> gammaGrad,
                 std::span<float> betaGrad)
{
    for (std::size_t col = 0; col < products.size(); ++col) {
        const float inverse = 1.0F / std::sqrt(parameters.variance[col] + parameters.epsilon);
        gammaGrad[col] = static_cast<float>(products[col]) * inverse;
        betaGrad[col] = static_cast<float>(sums[col]);
    }
}

void updateMovingMoments(std::span<float> moving, std::span<const float> batch, float momentum)
{
    const float decay = 1.0F - momentum;
    for (std::size_t i = 0; i < moving.size(); ++i) {
        moving[i] -= (moving[i] - batch[i]) * decay;
    }
}

} // namespace cannery::kernels
