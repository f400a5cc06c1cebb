// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/activation.h"

#include "kernels/device/row_blocks.h"

namespace cannery::kernels::cpu {

namespace {

template <typename Formula>
void forwardRow(const float* src, const float* bias, float* dst, std::int64_t cols)
{
    if (bias == nullptr) {
        for (std::int64_t c = 0; c < cols; ++c) {
            dst[c] = Formula::value(src[c]);
        }
        return;
    }
    for (std::int64_t c = 0; c < cols; ++c) {
        dst[c] = Formula::value(src[c] + bias[c]);
    }
}

template <typename Formula>
void backwardRow(const float* from, const float* dstGrad, float* srcGrad, std::int64_t cols)
{
    for (std::int64_t c = 0; c < cols; ++c) {
        srcGrad[c] = dstGrad[c] * Formula::slope(from[c]);
    }
}

void forward(ThreadPool& pool, Activation activation, ConstMatrixView src,
             std::span<const float> bias, MatrixView dst)
{
    const float* biasData = bias.empty() ? nullptr : bias.data();
    withFormula(activation, [&](auto formula) {
        forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                forwardRow<decltype(formula)>(src.at(r), biasData, dst.at(r), dst.cols);
            }
        });
    });
}

void backward(ThreadPool& pool, Activation activation, const ActivationGradient& arguments)
{
    const MatrixView srcGrad = arguments.srcGrad;
    // The slope of Linear is 1: in place there is nothing to do.
    if (activation == Activation::Linear && arguments.dstGrad.data == srcGrad.data) {
        return;
    }
    withFormula(activation, [&](auto formula) {
        using Formula = decltype(formula);
        // Linear reads neither: any valid address is fine.
        const ConstMatrixView kept = Formula::kNeedsInput ? arguments.src : arguments.dst;
        const ConstMatrixView from = kept.data == nullptr ? arguments.dstGrad : kept;
        forEachRowBlock(pool, srcGrad.rows, srcGrad.cols, [&](BlockRange rows, int) {
            for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                backwardRow<Formula>(from.at(r), arguments.dstGrad.at(r), srcGrad.at(r),
                                     srcGrad.cols);
            }
        });
    });
}

} // namespace

const ActivationKernels kActivation = {forward, backward};

} // namespace cannery::kernels::cpu
