// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/matmul.h"

namespace cannery::kernels::reference {

namespace {

void forward(MatmulPlan*, ThreadPool&, ConstMatrixView src, ConstMatrixView weights,
             const MatmulEpilogue& epilogue, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            double sum = epilogue.accumulate ? dst.at(r)[c] : 0.0;
            for (std::int64_t k = 0; k < src.cols; ++k) {
                sum += static_cast<double>(src.at(r)[k]) * weights.at(k)[c];
            }
            if (!epilogue.bias.empty()) {
                sum += epilogue.bias[c];
            }
            dst.at(r)[c] = withFormula(epilogue.activation, [&](auto formula) {
                return static_cast<float>(formula.value(sum));
            });
        }
    }
}

void srcGradient(MatmulPlan*, ThreadPool&, ConstMatrixView dstGrad, ConstMatrixView weights,
                 MatrixView srcGrad)
{
    for (std::int64_t r = 0; r < srcGrad.rows; ++r) {
        for (std::int64_t k = 0; k < srcGrad.cols; ++k) {
            double sum = 0;
            for (std::int64_t c = 0; c < dstGrad.cols; ++c) {
                sum += static_cast<double>(dstGrad.at(r)[c]) * weights.at(k)[c];
            }
            srcGrad.at(r)[k] = static_cast<float>(sum);
        }
    }
}

void weightsGradient(MatmulPlan*, ThreadPool&, ConstMatrixView src, ConstMatrixView dstGrad,
                     MatrixView weightsGrad)
{
    for (std::int64_t k = 0; k < weightsGrad.rows; ++k) {
        for (std::int64_t c = 0; c < weightsGrad.cols; ++c) {
            double sum = 0;
            for (std::int64_t r = 0; r < src.rows; ++r) {
                sum += static_cast<double>(src.at(r)[k]) * dstGrad.at(r)[c];
            }
            weightsGrad.at(k)[c] = static_cast<float>(sum);
        }
    }
}

} // namespace

const MatmulKernels kMatmul = {forward, srcGradient, weightsGradient};

} // namespace cannery::kernels::reference
