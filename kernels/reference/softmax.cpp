// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace cannery::kernels::reference {

namespace {

void run(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < src.rows; ++r) {
        float maximum = -std::numeric_limits<float>::infinity();
        for (const float x : src.row(r)) {
            maximum = std::max(maximum, x);
        }
        double sum = 0;
        for (const float x : src.row(r)) {
            sum += std::exp(static_cast<double>(x) - maximum);
        }
        for (std::int64_t c = 0; c < src.cols; ++c) {
            const double power = std::exp(static_cast<double>(src.at(r)[c]) - maximum);
            dst.at(r)[c] = static_cast<float>(power / sum);
        }
    }
}

void gradient(ThreadPool&, ConstMatrixView dst, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        double mean = 0;
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            mean += double{dstGrad.at(r)[c]} * double{dst.at(r)[c]};
        }
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            srcGrad.at(r)[c] =
                static_cast<float>((double{dstGrad.at(r)[c]} - mean) * double{dst.at(r)[c]});
        }
    }
}

} // namespace

const SoftmaxKernels kSoftmax = {run, gradient};

} // namespace cannery::kernels::reference
