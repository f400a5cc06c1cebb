// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"

#include <cmath>
#include <vector>

namespace cannery::kernels::reference {

namespace {

struct ColumnMoments
{
    double mean = 0;
    double squares = 0;
};

ColumnMoments momentsOfColumn(ConstMatrixView src, std::int64_t col)
{
    double sum = 0;
    for (std::int64_t r = 0; r < src.rows; ++r) {
        sum += src.at(r)[col];
    }
    // In two passes, which loses the least.
    ColumnMoments moments{.mean = sum / static_cast<double>(src.rows)};
    for (std::int64_t r = 0; r < src.rows; ++r) {
        moments.squares += (src.at(r)[col] - moments.mean) * (src.at(r)[col] - moments.mean);
    }
    return moments;
}

void moments(ThreadPool&, ConstMatrixView src, std::span<float> mean, std::span<float> variance)
{
    for (std::int64_t c = 0; c < src.cols; ++c) {
        const ColumnMoments found = momentsOfColumn(src, c);
        mean[c] = static_cast<float>(found.mean);
        variance[c] = static_cast<float>(found.squares / static_cast<double>(src.rows));
    }
}

void partialMoments(ThreadPool&, ConstMatrixView src, std::span<double> mean,
                    std::span<double> squares)
{
    for (std::int64_t c = 0; c < src.cols; ++c) {
        // A member without rows has no moments.
        const ColumnMoments found = src.rows > 0 ? momentsOfColumn(src, c) : ColumnMoments{};
        mean[c] = found.mean;
        squares[c] = found.squares;
    }
}

double inverseDeviation(const BatchNormParameters& parameters, std::int64_t col)
{
    return 1.0 / std::sqrt(static_cast<double>(parameters.variance[col]) + parameters.epsilon);
}

void normalize(ThreadPool&, const BatchNormParameters& parameters, ConstMatrixView src,
               MatrixView dst)
{
    for (std::int64_t c = 0; c < dst.cols; ++c) {
        const double factor = inverseDeviation(parameters, c) * parameters.gamma[c];
        for (std::int64_t r = 0; r < dst.rows; ++r) {
            const double centered = static_cast<double>(src.at(r)[c]) - parameters.mean[c];
            dst.at(r)[c] = static_cast<float>(centered * factor + parameters.beta[c]);
        }
    }
}

void partialGradients(ThreadPool&, const BatchNormGradient& arguments, std::span<double> products,
                      std::span<double> sums)
{
    for (std::int64_t c = 0; c < arguments.src.cols; ++c) {
        products[c] = 0;
        sums[c] = 0;
        for (std::int64_t r = 0; r < arguments.src.rows; ++r) {
            const double grad = arguments.dstGrad.at(r)[c];
            const double x = arguments.src.at(r)[c];
            products[c] += grad * (x - arguments.parameters.mean[c]);
            sums[c] += grad;
        }
    }
}

void parameterGradients(ThreadPool& pool, const BatchNormGradient& arguments,
                        std::span<float> gammaGrad, std::span<float> betaGrad)
{
    std::vector<double> products(gammaGrad.size());
    std::vector<double> sums(betaGrad.size());
    partialGradients(pool, arguments, products, sums);
    for (std::int64_t c = 0; c < arguments.src.cols; ++c) {
        gammaGrad[c] = static_cast<float>(products[c] * inverseDeviation(arguments.parameters, c));
        betaGrad[c] = static_cast<float>(sums[c]);
    }
}

void srcGradient(ThreadPool&, const BatchNormGradient& arguments, std::span<const float> gammaGrad,
                 std::span<const float> betaGrad, MatrixView srcGrad)
{
    const auto rows = static_cast<double>(arguments.momentRows);
    for (std::int64_t c = 0; c < srcGrad.cols; ++c) {
        const double inverse = inverseDeviation(arguments.parameters, c);
        for (std::int64_t r = 0; r < srcGrad.rows; ++r) {
            const double x = arguments.src.at(r)[c];
            const double normalized = (x - arguments.parameters.mean[c]) * inverse;
            const double grad = arguments.dstGrad.at(r)[c];
            const double rest = grad - betaGrad[c] / rows - normalized * gammaGrad[c] / rows;
            srcGrad.at(r)[c] = static_cast<float>(rest * inverse * arguments.parameters.gamma[c]);
        }
    }
}

} // namespace

const BatchNormKernels kBatchNorm = {moments,     normalize,      parameterGradients,
                                     srcGradient, partialMoments, partialGradients};

} // namespace cannery::kernels::reference
