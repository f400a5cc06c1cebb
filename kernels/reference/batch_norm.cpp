// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/batch_norm.h"

#include <cmath>

namespace cannery::kernels::reference {

namespace {

void moments(ThreadPool&, ConstMatrixView src, std::span<float> mean, std::span<float> variance)
{
    const auto rows = static_cast<double>(src.rows);
    for (std::int64_t c = 0; c < src.cols; ++c) {
        double sum = 0;
        for (std::int64_t r = 0; r < src.rows; ++r) {
            sum += src.at(r)[c];
        }
        const double center = sum / rows;
        double squares = 0;
        for (std::int64_t r = 0; r < src.rows; ++r) {
            squares += (src.at(r)[c] - center) * (src.at(r)[c] - center);
        }
        mean[c] = static_cast<float>(center);
        variance[c] = static_cast<float>(squares / rows);
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

void parameterGradients(ThreadPool&, const BatchNormGradient& arguments, std::span<float> gammaGrad,
                        std::span<float> betaGrad)
{
    for (std::int64_t c = 0; c < arguments.src.cols; ++c) {
        double products = 0;
        double sum = 0;
        for (std::int64_t r = 0; r < arguments.src.rows; ++r) {
            const double grad = arguments.dstGrad.at(r)[c];
            const double x = arguments.src.at(r)[c];
            products += grad * (x - arguments.parameters.mean[c]);
            sum += grad;
        }
        gammaGrad[c] = static_cast<float>(products * inverseDeviation(arguments.parameters, c));
        betaGrad[c] = static_cast<float>(sum);
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

const BatchNormKernels kBatchNorm = {moments, normalize, parameterGradients, srcGradient};

} // namespace cannery::kernels::reference
