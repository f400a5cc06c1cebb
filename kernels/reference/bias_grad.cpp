// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/bias_grad.h"

namespace cannery::kernels::reference {

namespace {

void run(ThreadPool&, ConstMatrixView dstGrad, std::span<float> biasGrad)
{
    for (std::int64_t c = 0; c < dstGrad.cols; ++c) {
        double sum = 0;
        for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
            sum += dstGrad.at(r)[c];
        }
        biasGrad[c] = static_cast<float>(sum);
    }
}

} // namespace

const BiasGradKernels kBiasGrad = {run};

} // namespace cannery::kernels::reference
