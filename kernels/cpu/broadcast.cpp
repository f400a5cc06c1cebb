// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/broadcast.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Sums that a worker holds at a time.
constexpr std::int64_t kSums = ThreadPool::kScratchFloats / 2;

/// function(first number of the operand, first number of the row) for each run along the last axis.
template <typename Function>
void forEachRun(const Broadcast& broadcast, Function&& function)
{
    const std::int64_t size = broadcast.axes.back().size;
    for (std::int64_t first = 0; first < broadcast.width; first += size) {
        std::int64_t operand = 0;
        std::int64_t rest = first / size;
        for (std::size_t axis = broadcast.axes.size() - 1; axis-- > 0;) {
            operand += rest % broadcast.axes[axis].size * broadcast.axes[axis].step;
            rest /= broadcast.axes[axis].size;
        }
        function(operand, first);
    }
}

template <typename Function>
void applyTo(ThreadPool& pool, const Broadcast& broadcast, ConstMatrixView src, MatrixView dst,
             Function function)
{
    const auto [size, step] = broadcast.axes.back();
    forEachRowBlock(pool, dst.rows, dst.cols, [&, size = size, step = step](BlockRange rows, int) {
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            forEachRun(broadcast, [&](std::int64_t operand, std::int64_t first) {
                const float* const from = src.at(r) + operand;
                float* const to = dst.at(r) + first;
                if (step == 0) {
                    const float value = *from;
                    for (std::int64_t i = 0; i < size; ++i) {
                        to[i] = function(to[i], value);
                    }
                } else {
                    for (std::int64_t i = 0; i < size; ++i) {
                        to[i] = function(to[i], from[i]);
                    }
                }
            });
        }
    });
}

void apply(ThreadPool& pool, const Broadcast& broadcast, BroadcastOp op, ConstMatrixView src,
           MatrixView dst)
{
    const auto by = [&](auto function) { applyTo(pool, broadcast, src, dst, function); };
    switch (op) {
    case BroadcastOp::Copy:
        return by([](float, float y) { return y; });
    case BroadcastOp::Add:
        return by([](float x, float y) { return x + y; });
    case BroadcastOp::Subtract:
        return by([](float x, float y) { return x - y; });
    case BroadcastOp::Multiply:
        return by([](float x, float y) { return x * y; });
    case BroadcastOp::Divide:
        return by([](float x, float y) { return x / y; });
    case BroadcastOp::Maximum: // NaN stays: it alone differs from itself
        return by([](float x, float y) { return x >= y || x != x ? x : y; });
    case BroadcastOp::Minimum:
        return by([](float x, float y) { return x <= y || x != x ? x : y; });
    }
}

/// What a row adds to the sums of the operand's numbers from `first` on.
void sumRow(const Broadcast& broadcast, const float* src, std::int64_t first,
            std::span<double> sums)
{
    const auto [size, step] = broadcast.axes.back();
    const std::int64_t end = first + static_cast<std::int64_t>(sums.size());
    forEachRun(broadcast, [&, size = size, step = step](std::int64_t operand, std::int64_t at) {
        const float* const from = src + at;
        if (step == 0) {
            if (operand >= first && operand < end) {
                double& sum = sums[static_cast<std::size_t>(operand - first)];
                for (std::int64_t i = 0; i < size; ++i) {
                    sum += double{from[i]};
                }
            }
            return;
        }
        const std::int64_t begin = std::max(operand, first);
        const std::int64_t stop = std::min(operand + size, end);
        double* const to = sums.data() - first;
        for (std::int64_t i = begin; i < stop; ++i) {
            to[i] += double{from[i - operand]};
        }
    });
}

void sum(ThreadPool& pool, const Broadcast& broadcast, ConstMatrixView src, MatrixView dst)
{
    forEachRowBlock(pool, dst.rows, src.cols, [&](BlockRange rows, int worker) {
        auto* const memory = reinterpret_cast<double*>(pool.scratch(worker).data());
        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
            for (std::int64_t first = 0; first < dst.cols; first += kSums) {
                const std::span<double> sums(
                    memory, static_cast<std::size_t>(std::min(kSums, dst.cols - first)));
                std::ranges::fill(sums, 0.0);
                sumRow(broadcast, src.at(r), first, sums);
                std::ranges::transform(sums, dst.at(r) + first,
                                       [](double sum) { return static_cast<float>(sum); });
            }
        }
    });
}

void take(ThreadPool& pool, const Broadcast& broadcast, ConstMatrixView src, ConstMatrixView chosen,
          MatrixView left, MatrixView taken)
{
    const auto [size, step] = broadcast.axes.back();
    forEachRowBlock(pool, left.rows, left.cols,
                    [&, size = size, step = step](BlockRange rows, int) {
                        for (std::int64_t r = rows.first; r < rows.first + rows.count; ++r) {
                            forEachRun(broadcast, [&](std::int64_t operand, std::int64_t first) {
                                const float* const from = src.at(r) + operand;
                                const float* const best = chosen.at(r) + first;
                                float* const rest = left.at(r) + first;
                                float* const to = taken.at(r) + first;
                                for (std::int64_t i = 0; i < size; ++i) {
                                    const bool takes = from[i * step] == best[i];
                                    to[i] = takes ? rest[i] : 0.0F;
                                    rest[i] = takes ? 0.0F : rest[i];
                                }
                            });
                        }
                    });
}

} // namespace

const BroadcastKernels kBroadcast = {apply, sum, take};

} // namespace cannery::kernels::cpu
