// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/parametric_activation.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>

namespace cannery::kernels::cpu {

namespace {

/// dst = of(column, src) for every element.
template <typename Of>
void mapValues(ThreadPool& pool, ConstMatrixView src, MatrixView dst, const Of& of)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.at(r);
            float* to = dst.at(r);
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                to[c] = of(c, from[c]);
            }
        }
    });
}

/// srcGrad = dstGrad slope(column, src).
template <typename Slope>
void mapGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad, MatrixView srcGrad,
                 const Slope& slope)
{
    forEachRowBlock(pool, srcGrad.rows, srcGrad.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.at(r);
            const float* grad = dstGrad.at(r);
            float* to = srcGrad.at(r);
            for (std::int64_t c = 0; c < srcGrad.cols; ++c) {
                to[c] = grad[c] * slope(c, from[c]);
            }
        }
    });
}

void rectify(ThreadPool& pool, const Rectifier& unit, ConstMatrixView src, MatrixView dst)
{
    mapValues(pool, src, dst,
              [&](std::int64_t, float x) { return RectifierFormula::value(unit, x); });
}

void rectifyGradient(ThreadPool& pool, const Rectifier& unit, ConstMatrixView src,
                     ConstMatrixView dstGrad, MatrixView srcGrad)
{
    mapGradient(pool, src, dstGrad, srcGrad,
                [&](std::int64_t, float x) { return RectifierFormula::slope(unit, x); });
}

void exponentialUnit(ThreadPool& pool, float alpha, ConstMatrixView src, MatrixView dst)
{
    mapValues(pool, src, dst,
              [&](std::int64_t, float x) { return ExponentialUnitFormula::value(alpha, x); });
}

void exponentialUnitGradient(ThreadPool& pool, float alpha, ConstMatrixView src,
                             ConstMatrixView dstGrad, MatrixView srcGrad)
{
    mapGradient(pool, src, dstGrad, srcGrad,
                [&](std::int64_t, float x) { return ExponentialUnitFormula::slope(alpha, x); });
}

void learned(ThreadPool& pool, const LearnedSlopes& slopes, ConstMatrixView src, MatrixView dst)
{
    mapValues(pool, src, dst, [&](std::int64_t c, float x) {
        return LearnedSlopeFormula::value(slopes.slopes[slopes.indices[c]], x);
    });
}

void learnedGradient(ThreadPool& pool, const LearnedSlopes& slopes, ConstMatrixView src,
                     ConstMatrixView dstGrad, MatrixView srcGrad)
{
    mapGradient(pool, src, dstGrad, srcGrad, [&](std::int64_t c, float x) {
        return LearnedSlopeFormula::slope(slopes.slopes[slopes.indices[c]], x);
    });
}

void slopeGradient(ThreadPool& pool, ConstMatrixView src, ConstMatrixView dstGrad,
                   std::span<double> columns)
{
    forEachColumnBlock(pool, src.rows, src.cols, [&](BlockRange block, int) {
        double* sums = columns.data() + block.first;
        std::fill_n(sums, block.count, 0.0);
        for (std::int64_t r = 0; r < src.rows; ++r) {
            const float* from = src.at(r) + block.first;
            const float* grad = dstGrad.at(r) + block.first;
            for (std::int64_t c = 0; c < block.count; ++c) {
                // In this order NaN is added, too.
                sums[c] += from[c] >= 0.0F ? 0.0 : double{from[c]} * double{grad[c]};
            }
        }
    });
}

} // namespace

const ParametricActivationKernels kParametricActivation = {
    rectify, rectifyGradient, exponentialUnit, exponentialUnitGradient,
    learned, learnedGradient, slopeGradient};

} // namespace cannery::kernels::cpu
