// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/vector_ops.h"

namespace cannery::kernels::reference {

namespace {

void fill(ThreadPool&, std::span<float> dst, float value)
{
    for (float& x : dst) {
        x = value;
    }
}

void scale(ThreadPool&, std::span<float> dst, float factor)
{
    for (float& x : dst) {
        x *= factor;
    }
}

void axpy(ThreadPool&, float factor, std::span<const float> src, std::span<float> dst)
{
    for (std::size_t i = 0; i < dst.size(); ++i) {
        dst[i] += factor * src[i];
    }
}

void clipByValue(ThreadPool&, std::span<float> dst, float low, float high)
{
    for (float& x : dst) {
        x = x < low ? low : (x > high ? high : x);
    }
}

double sum(ThreadPool&, std::span<const float> src)
{
    double total = 0;
    for (const float x : src) {
        total += x;
    }
    return total;
}

double sumOfSquares(ThreadPool&, std::span<const float> src)
{
    double total = 0;
    for (const float x : src) {
        total += static_cast<double>(x) * x;
    }
    return total;
}

double weightedSum(ThreadPool&, std::span<const float> src, std::span<const float> weights)
{
    double total = 0;
    for (std::size_t i = 0; i < src.size(); ++i) {
        total += static_cast<double>(src[i]) * weights[i];
    }
    return total;
}

float zeroFraction(ThreadPool&, ConstMatrixView src)
{
    std::int64_t zeros = 0;
    for (std::int64_t r = 0; r < src.rows; ++r) {
        for (const float x : src.row(r)) {
            zeros += x == 0.0F ? 1 : 0;
        }
    }
    return static_cast<float>(zeros) / static_cast<float>(src.rows * src.cols);
}

void copy(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            dst.at(r)[c] = src.at(r)[c];
        }
    }
}

void add(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            dst.at(r)[c] += src.at(r)[c];
        }
    }
}

void multiply(ThreadPool&, ConstMatrixView src, MatrixView dst)
{
    for (std::int64_t r = 0; r < dst.rows; ++r) {
        for (std::int64_t c = 0; c < dst.cols; ++c) {
            dst.at(r)[c] *= src.at(r)[c];
        }
    }
}

} // namespace

const VectorKernels kVector = {fill,        scale,        axpy, clipByValue, sum,     sumOfSquares,
                               weightedSum, zeroFraction, copy, add,         multiply};

} // namespace cannery::kernels::reference
