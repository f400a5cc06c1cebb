// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::kernels::cpu {

namespace {

using ColumnSums = std::array<double, kBlockCols>;

/// The mean of each column of a block, and the squares of the distances to it; both are 0 before.
inline void sumBlockMoments(ConstMatrixView src, ColumnSums& means, ColumnSums& squares)
{
    const auto rows = static_cast<double>(src.rows);
    const std::int64_t cols = src.cols;
    for (std::int64_t r = 0; r < src.rows; ++r) {
        const float* row = src.at(r);
        for (std::int64_t c = 0; c < cols; ++c) {
            means[c] += row[c];
        }
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        means[c] /= rows;
    }
    // A second pass over the deviations: the sum of squares less the squared mean would lose the
    // digits that matter.
    for (std::int64_t r = 0; r < src.rows; ++r) {
        const float* row = src.at(r);
        for (std::int64_t c = 0; c < cols; ++c) {
            const double deviation = row[c] - means[c];
            squares[c] += deviation * deviation;
        }
    }
}

void moments(ThreadPool& pool, ConstMatrixView src, std::span<float> mean,
             std::span<float> variance)
{
    const auto rows = static_cast<double>(src.rows);
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        ColumnSums means{};
        ColumnSums squares{};
        sumBlockMoments(src.columns(cols.first, cols.count), means, squares);
        for (std::int64_t c = 0; c < cols.count; ++c) {
            mean[cols.first + c] = static_cast<float>(means[c]);
            variance[cols.first + c] = static_cast<float>(squares[c] / rows);
        }
    });
}

void partialMoments(ThreadPool& pool, ConstMatrixView src, std::span<double> mean,
                    std::span<double> squares)
{
    if (src.rows == 0) {
        std::ranges::fill(mean, 0.0);
        std::ranges::fill(squares, 0.0);
        return;
    }
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        ColumnSums blockMeans{};
        ColumnSums blockSquares{};
        sumBlockMoments(src.columns(cols.first, cols.count), blockMeans, blockSquares);
        std::copy_n(blockMeans.begin(), cols.count, mean.begin() + cols.first);
        std::copy_n(blockSquares.begin(), cols.count, squares.begin() + cols.first);
    });
}

float inverseDeviation(const BatchNormParameters& parameters, std::int64_t col)
{
    return 1.0F / std::sqrt(parameters.variance[col] + parameters.epsilon);
}

void normalize(ThreadPool& pool, const BatchNormParameters& parameters, ConstMatrixView src,
               MatrixView dst)
{
    forEachColumnBlock(pool, dst.rows, dst.cols, [&](BlockRange cols, int) {
        std::array<float, kBlockCols> factor;
        std::array<float, kBlockCols> shift;
        for (std::int64_t c = 0; c < cols.count; ++c) {
            const std::int64_t col = cols.first + c;
            factor[c] = inverseDeviation(parameters, col) * parameters.gamma[col];
            // Normalizing becomes one multiply-add for each element.
            shift[c] = parameters.beta[col] - parameters.mean[col] * factor[c];
        }
        for (std::int64_t r = 0; r < dst.rows; ++r) {
            const float* from = src.at(r) + cols.first;
            float* to = dst.at(r) + cols.first;
#pragma GCC ivdep
            for (std::int64_t c = 0; c < cols.count; ++c) {
                to[c] = from[c] * factor[c] + shift[c];
            }
        }
    });
}

/// What partialGradients has of a block; both are 0 before.
inline void sumBlockGradients(const BatchNormGradient& arguments, BlockRange cols,
                              ColumnSums& products, ColumnSums& sums)
{
    const ConstMatrixView src = arguments.src;
    const float* mean = arguments.parameters.mean.data() + cols.first;
    for (std::int64_t r = 0; r < src.rows; ++r) {
        const float* x = src.at(r) + cols.first;
        const float* grad = arguments.dstGrad.at(r) + cols.first;
        for (std::int64_t c = 0; c < cols.count; ++c) {
            products[c] += static_cast<double>(grad[c]) * (x[c] - mean[c]);
            sums[c] += grad[c];
        }
    }
}

void parameterGradients(ThreadPool& pool, const BatchNormGradient& arguments,
                        std::span<float> gammaGrad, std::span<float> betaGrad)
{
    const ConstMatrixView src = arguments.src;
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        ColumnSums products{};
        ColumnSums sums{};
        sumBlockGradients(arguments, cols, products, sums);
        for (std::int64_t c = 0; c < cols.count; ++c) {
            const std::int64_t col = cols.first + c;
            gammaGrad[col] =
                static_cast<float>(products[c]) * inverseDeviation(arguments.parameters, col);
            betaGrad[col] = static_cast<float>(sums[c]);
        }
    });
}

void partialGradients(ThreadPool& pool, const BatchNormGradient& arguments,
                      std::span<double> products, std::span<double> sums)
{
    const ConstMatrixView src = arguments.src;
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange cols, int) {
        ColumnSums blockProducts{};
        ColumnSums blockSums{};
        sumBlockGradients(arguments, cols, blockProducts, blockSums);
        std::copy_n(blockProducts.begin(), cols.count, products.begin() + cols.first);
        std::copy_n(blockSums.begin(), cols.count, sums.begin() + cols.first);
    });
}

void srcGradient(ThreadPool& pool, const BatchNormGradient& arguments,
                 std::span<const float> gammaGrad, std::span<const float> betaGrad,
                 MatrixView srcGrad)
{
    const BatchNormParameters& parameters = arguments.parameters;
    const auto rows = static_cast<float>(arguments.momentRows);
    forEachColumnBlock(pool, srcGrad.rows, srcGrad.cols, [&](BlockRange cols, int) {
        std::array<float, kBlockCols> factor;
        std::array<float, kBlockCols> slope;
        std::array<float, kBlockCols> level;
        for (std::int64_t c = 0; c < cols.count; ++c) {
            const std::int64_t col = cols.first + c;
            const float inverse = inverseDeviation(parameters, col);
            // The gradient through mean and variance of the batch (Ioffe and Szegedy, 2015), with
            // the sums over all rows already divided by their number.
            factor[c] = inverse * parameters.gamma[col];
            slope[c] = inverse * gammaGrad[col] / rows;
            level[c] = betaGrad[col] / rows;
        }
        std::array<float, kBlockCols> mean;
        std::copy_n(parameters.mean.data() + cols.first, cols.count, mean.begin());
        for (std::int64_t r = 0; r < srcGrad.rows; ++r) {
            const float* x = arguments.src.at(r) + cols.first;
            const float* grad = arguments.dstGrad.at(r) + cols.first;
            float* to = srcGrad.at(r) + cols.first;
            // srcGrad may be dstGrad, element by element.
#pragma GCC ivdep
            for (std::int64_t c = 0; c < cols.count; ++c) {
                to[c] = (grad[c] - level[c] - (x[c] - mean[c]) * slope[c]) * factor[c];
            }
        }
    });
}

} // namespace

const BatchNormKernels kBatchNorm = {moments,     normalize,      parameterGradients,
                                     srcGradient, partialMoments, partialGradients};

} // namespace cannery::kernels::cpu
