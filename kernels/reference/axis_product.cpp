// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/axis_product.h"

namespace cannery::kernels::reference {

namespace {

void product(ThreadPool&, const AxisProductProblem& problem, ConstMatrixView left,
             ConstMatrixView right, MatrixView dst)
{
    const auto& [a, b] = problem;
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t i = 0; i < a.vectors(); ++i) {
            for (std::int64_t j = 0; j < b.vectors(); ++j) {
                double sum = 0.0;
                for (std::int64_t k = 0; k < a.depth; ++k) {
                    sum += double{left.at(r)[a.at(i) + k * a.inner]} *
                           double{right.at(r)[b.at(j) + k * b.inner]};
                }
                dst.at(r)[i * b.vectors() + j] = static_cast<float>(sum);
            }
        }
    }
}

void leftGradient(ThreadPool&, const AxisProductProblem& problem, ConstMatrixView right,
                  ConstMatrixView dstGrad, MatrixView leftGrad)
{
    const auto& [a, b] = problem;
    for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
        for (std::int64_t i = 0; i < a.vectors(); ++i) {
            for (std::int64_t k = 0; k < a.depth; ++k) {
                double sum = 0.0;
                for (std::int64_t j = 0; j < b.vectors(); ++j) {
                    sum += double{dstGrad.at(r)[i * b.vectors() + j]} *
                           double{right.at(r)[b.at(j) + k * b.inner]};
                }
                leftGrad.at(r)[a.at(i) + k * a.inner] = static_cast<float>(sum);
            }
        }
    }
}

void rightGradient(ThreadPool&, const AxisProductProblem& problem, ConstMatrixView left,
                   ConstMatrixView dstGrad, MatrixView rightGrad)
{
    const auto& [a, b] = problem;
    for (std::int64_t r = 0; r < dstGrad.rows; ++r) {
        for (std::int64_t j = 0; j < b.vectors(); ++j) {
            for (std::int64_t k = 0; k < b.depth; ++k) {
                double sum = 0.0;
                for (std::int64_t i = 0; i < a.vectors(); ++i) {
                    sum += double{dstGrad.at(r)[i * b.vectors() + j]} *
                           double{left.at(r)[a.at(i) + k * a.inner]};
                }
                rightGrad.at(r)[b.at(j) + k * b.inner] = static_cast<float>(sum);
            }
        }
    }
}

} // namespace

const AxisProductKernels kAxisProduct = {product, leftGradient, rightGradient};

} // namespace cannery::kernels::reference
