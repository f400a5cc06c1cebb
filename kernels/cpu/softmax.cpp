// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/softmax.h"

#include "kernels/cpu/softmax_row.h"
#include "kernels/device/row_blocks.h"

namespace cannery::kernels::cpu {

namespace {

void run(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, src.rows, src.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            float* row = dst.at(r);
            const float sum = softmaxPowers(src.row(r), row).sum;
            for (std::int64_t c = 0; c < src.cols; ++c) {
                row[c] /= sum;
            }
        }
    });
}

void gradient(ThreadPool& pool, ConstMatrixView dst, ConstMatrixView dstGrad, MatrixView srcGrad)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* shares = dst.at(r);
            const float* grads = dstGrad.at(r);
            float* row = srcGrad.at(r);
            const float mean = sumOfProducts(grads, shares, dst.cols);
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                row[c] = (grads[c] - mean) * shares[c];
            }
        }
    });
}

} // namespace

const SoftmaxKernels kSoftmax = {run, gradient};

} // namespace cannery::kernels::cpu
