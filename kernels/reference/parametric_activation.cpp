// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/parametric_activation.h"

namespace cannery::kernels::reference {

namespace {

template <typename Of>
void map(ConstMatrixView src, MatrixView dst, const Of& of)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            dst.at(r)[c] = static_cast<float>(of(r, c, double{src.at(r)[c]}));
        }
    }
}

double slopeOf(const LearnedSlopes& slopes, std::int64_t c)
{
    return slopes.slopes[slopes.indices[c]];
}

void rectify(ThreadPool&, const Rectifier& unit, ConstMatrixView src, MatrixView dst)
{
    map(src, dst,
        [&](std::int64_t, std::int64_t, double x) { return RectifierFormula::value(unit, x); });
}

void rectifyGradient(ThreadPool&, const Rectifier& unit, ConstMatrixView src,
                     ConstMatrixView dstGrad, MatrixView srcGrad)
{
    map(src, srcGrad, [&](std::int64_t r, std::int64_t c, double x) {
        return double{dstGrad.at(r)[c]} * RectifierFormula::slope(unit, x);
    });
}

void exponentialUnit(ThreadPool&, float alpha, ConstMatrixView src, MatrixView dst)
{
    map(src, dst, [&](std::int64_t, std::int64_t, double x) {
        return ExponentialUnitFormula::value(double{alpha}, x);
    });
}

void exponentialUnitGradient(ThreadPool&, float alpha, ConstMatrixView src, ConstMatrixView dstGrad,
                             MatrixView srcGrad)
{
    map(src, srcGrad, [&](std::int64_t r, std::int64_t c, double x) {
        return double{dstGrad.at(r)[c]} * ExponentialUnitFormula::slope(double{alpha}, x);
    });
}

void learned(ThreadPool&, const LearnedSlopes& slopes, ConstMatrixView src, MatrixView dst)
{
    map(src, dst, [&](std::int64_t, std::int64_t c, double x) {
        return LearnedSlopeFormula::value(slopeOf(slopes, c), x);
    });
}

void learnedGradient(ThreadPool&, const LearnedSlopes& slopes, ConstMatrixView src,
                     ConstMatrixView dstGrad, MatrixView srcGrad)
{
    map(src, srcGrad, [&](std::int64_t r, std::int64_t c, double x) {
        return double{dstGrad.at(r)[c]} * LearnedSlopeFormula::slope(slopeOf(slopes, c), x);
    });
}

void slopeGradient(ThreadPool&, ConstMatrixView src, ConstMatrixView dstGrad,
                   std::span<double> columns)
{
    for (std::int64_t c = 0; c < src.cols; ++c) {
        double sum = 0;
        for (std::int64_t r = 0; r < src.rows; ++r) {
            const double x = src.at(r)[c];
            sum += x >= 0 ? 0 : x * double{dstGrad.at(r)[c]};
        }
        columns[c] = sum;
    }
}

} // namespace

const ParametricActivationKernels kParametricActivation = {
    rectify, rectifyGradient, exponentialUnit, exponentialUnitGradient,
    learned, learnedGradient, slopeGradient};

} // namespace cannery::kernels::reference
