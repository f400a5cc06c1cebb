// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/strided_copy.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

void copyAlong(const CopyAxis& axis, const float* src, float* dst)
{
    if (axis.srcStep == 1 && axis.dstStep == 1) {
        std::copy_n(src, axis.size, dst);
        return;
    }
    for (std::int64_t i = 0; i < axis.size; ++i) {
        dst[i * axis.dstStep] = src[i * axis.srcStep];
    }
}

/// `lines`: runs along the last axis.
void copyRow(const StridedCopyProblem& problem, std::int64_t lines, const float* src, float* dst)
{
    const std::size_t last = problem.rank - 1;
    std::array<std::int64_t, StridedCopyProblem::kMostAxes> place = {};
    for (std::int64_t line = 0; line < lines; ++line) {
        copyAlong(problem.axes[last], src, dst);
        for (std::size_t i = last; i-- > 0;) {
            const CopyAxis& axis = problem.axes[i];
            src += axis.srcStep;
            dst += axis.dstStep;
            if (++place[i] < axis.size) {
                break;
            }
            place[i] = 0;
            src -= axis.size * axis.srcStep;
            dst -= axis.size * axis.dstStep;
        }
    }
}

void run(const StridedCopyProblem& problem, ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    const std::int64_t count = problem.count();
    if (count == 0) {
        return;
    }
    const std::int64_t lines = problem.rank == 0 ? 0 : count / problem.axes[problem.rank - 1].size;
    forEachRowBlock(pool, dst.rows, count, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            const float* const from = src.at(row) + problem.srcFirst;
            float* const to = dst.at(row) + problem.dstFirst;
            if (problem.rank == 0) {
                *to = *from;
            } else {
                copyRow(problem, lines, from, to);
            }
        }
    });
}

} // namespace

const StridedCopyKernels kStridedCopy = {run};

} // namespace cannery::kernels::cpu
