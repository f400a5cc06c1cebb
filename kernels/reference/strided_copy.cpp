// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/strided_copy.h"

namespace cannery::kernels::reference {

namespace {

void run(const StridedCopyProblem& problem, ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t row = 0; row < dst.rows; ++row) {
        for (std::int64_t number = 0; number < problem.count(); ++number) {
            std::int64_t from = problem.srcFirst;
            std::int64_t to = problem.dstFirst;
            std::int64_t left = number;
            for (std::size_t i = problem.rank; i-- > 0;) {
                const CopyAxis& axis = problem.axes[i];
                from += left % axis.size * axis.srcStep;
                to += left % axis.size * axis.dstStep;
                left /= axis.size;
            }
            dst.at(row)[to] = src.at(row)[from];
        }
    }
}

} // namespace

const StridedCopyKernels kStridedCopy = {run};

} // namespace cannery::kernels::reference
