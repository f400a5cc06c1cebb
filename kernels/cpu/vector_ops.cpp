// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/vector_ops.h"

#include "kernels/device/row_blocks.h"

#include <array>
#include <cstring>

namespace cannery::kernels::cpu {

namespace {

/// A reduction has at most this many blocks; their sums are kept on the stack and added in order.
constexpr std::int64_t kMaxSums = 256;

template <typename Function>
void forEachElementBlock(ThreadPool& pool, std::span<float> dst, Function&& function)
{
    forEachBlock(pool, static_cast<std::int64_t>(dst.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     function(dst.subspan(block.first, block.count), block.first);
                 });
}

/// Four running sums hide the latency of an addition; element i goes to sum i % 4.
template <typename Term>
double sumTerms(std::int64_t first, std::int64_t count, Term term)
{
    std::array<double, 4> sums{};
    std::int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
        for (std::int64_t lane = 0; lane < 4; ++lane) {
            sums[lane] += term(first + i + lane);
        }
    }
    for (; i < count; ++i) {
        sums[i % 4] += term(first + i);
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <typename Term>
double blockedSum(ThreadPool& pool, std::int64_t count, Term term)
{
    const std::int64_t blockSize = std::max(kBlockElements, (count + kMaxSums - 1) / kMaxSums);
    std::array<double, kMaxSums> sums;
    forEachBlock(pool, count, blockSize, [&](BlockRange block, int) {
        sums[block.first / blockSize] = sumTerms(block.first, block.count, term);
    });
    double total = 0;
    for (std::int64_t block = 0; block * blockSize < count; ++block) {
        total += sums[block];
    }
    return total;
}

void fill(ThreadPool& pool, std::span<float> dst, float value)
{
    forEachElementBlock(pool, dst, [=](std::span<float> block, std::int64_t) {
        std::fill(block.begin(), block.end(), value);
    });
}

void scale(ThreadPool& pool, std::span<float> dst, float factor)
{
    forEachElementBlock(pool, dst, [=](std::span<float> block, std::int64_t) {
        for (float& x : block) {
            x *= factor;
        }
    });
}

void axpy(ThreadPool& pool, float factor, std::span<const float> src, std::span<float> dst)
{
    forEachElementBlock(pool, dst, [=](std::span<float> block, std::int64_t first) {
        const float* from = src.data() + first;
        for (std::size_t i = 0; i < block.size(); ++i) {
            block[i] += factor * from[i];
        }
    });
}

void clipByValue(ThreadPool& pool, std::span<float> dst, float low, float high)
{
    forEachElementBlock(pool, dst, [=](std::span<float> block, std::int64_t) {
        for (float& x : block) {
            const float raised = x < low ? low : x;
            x = raised > high ? high : raised;
        }
    });
}

double sum(ThreadPool& pool, std::span<const float> src)
{
    return blockedSum(pool, static_cast<std::int64_t>(src.size()),
                      [=](std::int64_t i) { return static_cast<double>(src[i]); });
}

double sumOfSquares(ThreadPool& pool, std::span<const float> src)
{
    return blockedSum(pool, static_cast<std::int64_t>(src.size()),
                      [=](std::int64_t i) { return static_cast<double>(src[i]) * src[i]; });
}

double weightedSum(ThreadPool& pool, std::span<const float> src, std::span<const float> weights)
{
    return blockedSum(pool, static_cast<std::int64_t>(src.size()),
                      [=](std::int64_t i) { return static_cast<double>(src[i]) * weights[i]; });
}

float zeroFraction(ThreadPool&, ConstMatrixView src)
{
    std::int64_t zeros = 0;
    for (std::int64_t r = 0; r < src.rows; ++r) {
        const float* row = src.at(r);
        std::int32_t rowZeros = 0;
        for (std::int64_t c = 0; c < src.cols; ++c) {
            rowZeros += row[c] == 0.0F ? 1 : 0;
        }
        zeros += rowZeros;
    }
    return static_cast<float>(zeros) / static_cast<float>(src.rows * src.cols);
}

void copy(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    if (dst.cols == 0) {
        return;
    }
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            std::memcpy(dst.at(r), src.at(r), static_cast<std::size_t>(dst.cols) * sizeof(float));
        }
    });
}

void add(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.at(r);
            float* to = dst.at(r);
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                to[c] += from[c];
            }
        }
    });
}

void multiply(ThreadPool& pool, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, dst.cols, [&](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            const float* from = src.at(r);
            float* to = dst.at(r);
            for (std::int64_t c = 0; c < dst.cols; ++c) {
                to[c] *= from[c];
            }
        }
    });
}

} // namespace

const VectorKernels kVector = {fill,        scale,        axpy, clipByValue, sum,     sumOfSquares,
                               weightedSum, zeroFraction, copy, add,         multiply};

} // namespace cannery::kernels::cpu
