// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/tensor_view.h"
#include "kernels/device/thread_pool.h"
#include "kernels/math/moments.h"
#include "kernels/ops/implementation_list.h"

namespace cannery::kernels {

struct BatchNormProblem
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
};

/// Per column; all of length cols. Training normalizes by the batch's moments, inference by the
/// moving ones.
struct BatchNormParameters
{
    std::span<const float> gamma;
    std::span<const float> beta;
    std::span<const float> mean;
    std::span<const float> variance;
    float epsilon = 0.001F;
};

struct BatchNormGradient
{
    BatchNormParameters parameters; ///< of the forward pass; mean and variance are the batch's
    ConstMatrixView src;
    ConstMatrixView dstGrad;
    /// Rows that the moments were computed over: src.rows, or those of the global batch if several
    /// shards share their moments.
    std::int64_t momentRows = 0;
};

/// Batch normalization over rows (Ioffe and Szegedy 2015), as Keras on rank 2:
///   mean = sum(x) / n,  variance = sum((x - mean)^2) / n  (biased)
///   y = x * k + (beta - mean * k)  with  k = gamma / sqrt(variance + epsilon)
///   gammaGrad = sum(dy * (x - mean) / sqrt(variance + epsilon)),  betaGrad = sum(dy)
///   dx = k * (dy - betaGrad / n - (x - mean) / sqrt(variance + epsilon) * gammaGrad / n)
/// The parts are separate so that shards can add up sums in between: from partialMoments of every
/// shard to mergeMoments to momentsOf, and from partialGradients to their sums to gradientsOf.
struct BatchNormKernels
{
    void (*moments)(ThreadPool&, ConstMatrixView src, std::span<float> mean,
                    std::span<float> variance) = nullptr;
    /// dst may be src itself (but then keep a copy of src for the gradient).
    void (*normalize)(ThreadPool&, const BatchNormParameters&, ConstMatrixView src,
                      MatrixView dst) = nullptr;
    void (*parameterGradients)(ThreadPool&, const BatchNormGradient&, std::span<float> gammaGrad,
                               std::span<float> betaGrad) = nullptr;
    /// Takes the result of parameterGradients, summed over momentRows rows. srcGrad may be dstGrad.
    void (*srcGradient)(ThreadPool&, const BatchNormGradient&, std::span<const float> gammaGrad,
                        std::span<const float> betaGrad, MatrixView srcGrad) = nullptr;
    /// Of some rows: their mean, and the sum of the squares of their distances to it. 0 of none.
    void (*partialMoments)(ThreadPool&, ConstMatrixView src, std::span<double> mean,
                           std::span<double> squares) = nullptr;
    /// Of some rows: sum(dy * (x - mean)) and sum(dy), of which gradientsOf makes gradients.
    void (*partialGradients)(ThreadPool&, const BatchNormGradient&, std::span<double> products,
                             std::span<double> sums) = nullptr;
};

/// left = the moments of the rows of both, of partialMomentsSize() numbers each; see
/// PartialMoments.
void mergeMoments(std::span<double> left, std::span<const double> right);

/// Mean and biased variance of all rows, as the kernel `moments` gives them.
void momentsOf(std::span<const double> merged, std::span<float> mean, std::span<float> variance);

/// gammaGrad and betaGrad, as the kernel `parameterGradients` gives them.
void gradientsOf(const BatchNormParameters& parameters, std::span<const double> products,
                 std::span<const double> sums, std::span<float> gammaGrad,
                 std::span<float> betaGrad);

/// moving -= (moving - batch) * (1 - momentum), in float as Keras evaluates it.
void updateMovingMoments(std::span<float> moving, std::span<const float> batch, float momentum);

using BatchNormImplementation = Implementation<BatchNormProblem, BatchNormKernels>;
std::span<const BatchNormImplementation> batchNormImplementations();
const BatchNormKernels& batchNormKernels(const BatchNormProblem& problem);

namespace cpu {
extern const BatchNormKernels kBatchNorm;
}
namespace reference {
extern const BatchNormKernels kBatchNorm;
}

} // namespace cannery::kernels
