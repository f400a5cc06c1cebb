// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/activation.h"

namespace cannery::kernels::reference {

namespace {

void forward(ThreadPool&, Activation activation, ConstMatrixView src, std::span<const float> bias,
             MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            // In float: a fused kernel rounds here too.
            const float x = src.at(r)[c] + (bias.empty() ? 0.0F : bias[c]);
            dst.at(r)[c] = withFormula(activation, [&](auto formula) {
                return static_cast<float>(formula.value(static_cast<double>(x)));
            });
        }
    }
}

void backward(ThreadPool&, Activation activation, const ActivationGradient& arguments)
{
    const ConstMatrixView from = needsInput(activation) ? arguments.src : arguments.dst;
    for (std::int64_t r = 0; r < arguments.srcGrad.rows; ++r) {
        for (std::int64_t c = 0; c < arguments.srcGrad.cols; ++c) {
            const double slope = withFormula(activation, [&](auto formula) {
                return formula.slope(static_cast<double>(from.data == nullptr ? 0 : from.at(r)[c]));
            });
            arguments.srcGrad.at(r)[c] = static_cast<float>(arguments.dstGrad.at(r)[c] * slope);
        }
    }
}

} // namespace

const ActivationKernels kActivation = {forward, backward};

} // namespace cannery::kernels::reference
