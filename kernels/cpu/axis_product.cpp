// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/axis_product.h"

#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Sums that are held at a time.
constexpr std::int64_t kSums = 64;

/// Numbers that lie `step` apart.
struct Strided
{
    const float* data = nullptr;
    std::int64_t step = 1;
};

double dot(Strided x, Strided y, std::int64_t count)
{
    double sum = 0.0;
    if (x.step == 1 && y.step == 1) {
        std::array<double, 4> sums{}; // hide the latency of an addition
        std::int64_t i = 0;
        for (; i + 4 <= count; i += 4) {
            for (std::int64_t lane = 0; lane < 4; ++lane) {
                sums[static_cast<std::size_t>(lane)] +=
                    double{x.data[i + lane]} * double{y.data[i + lane]};
            }
        }
        sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
        x.data += i;
        y.data += i;
        count -= i;
    }
    for (std::int64_t i = 0; i < count; ++i) {
        sum += double{x.data[i * x.step]} * double{y.data[i * y.step]};
    }
    return sum;
}

/// A sum of multiples of neighbouring numbers.
class NeighbourSums
{
public:
    explicit NeighbourSums(std::int64_t count) : m_count(count) {}

    void add(float factor, Strided values)
    {
        if (values.step == 1) {
            for (std::int64_t i = 0; i < m_count; ++i) {
                m_sums[static_cast<std::size_t>(i)] += double{factor} * double{values.data[i]};
            }
            return;
        }
        for (std::int64_t i = 0; i < m_count; ++i) {
            m_sums[static_cast<std::size_t>(i)] +=
                double{factor} * double{values.data[i * values.step]};
        }
    }
    void store(float* to, std::int64_t step) const
    {
        for (std::int64_t i = 0; i < m_count; ++i) {
            to[i * step] = static_cast<float>(m_sums[static_cast<std::size_t>(i)]);
        }
    }

private:
    std::int64_t m_count;
    std::array<double, kSums> m_sums{};
};

/// function(row), each row by one thread.
template <typename Function>
void forEachRowOf(ThreadPool& pool, const AxisProductProblem& problem, std::int64_t rows,
                  Function&& function)
{
    const std::int64_t products = problem.left.width() * problem.right.vectors();
    forEachRowBlock(pool, rows, products, [&](BlockRange block, int) {
        for (std::int64_t r = block.first; r < block.first + block.count; ++r) {
            function(r);
        }
    });
}

void product(ThreadPool& pool, const AxisProductProblem& problem, ConstMatrixView left,
             ConstMatrixView right, MatrixView dst)
{
    const AxisFactor a = problem.left;
    const AxisFactor b = problem.right;
    forEachRowOf(pool, problem, dst.rows, [&](std::int64_t r) {
        for (std::int64_t i = 0; i < a.vectors(); ++i) {
            const float* const from = left.at(r) + a.at(i);
            float* const to = dst.at(r) + i * b.vectors();
            if (b.inner == 1) {
                for (std::int64_t j = 0; j < b.vectors(); ++j) {
                    to[j] = static_cast<float>(
                        dot({from, a.inner}, {right.at(r) + b.at(j), 1}, a.depth));
                }
                continue;
            }
            for (std::int64_t j = 0, count = 0; j < b.vectors(); j += count) {
                // Neighbours until the next outer index.
                count = std::min(kSums, b.inner - j % b.inner);
                NeighbourSums sums(count);
                for (std::int64_t k = 0; k < a.depth; ++k) {
                    sums.add(from[k * a.inner], {right.at(r) + b.at(j) + k * b.inner, 1});
                }
                sums.store(to + j, 1);
            }
        }
    });
}

void leftGradient(ThreadPool& pool, const AxisProductProblem& problem, ConstMatrixView right,
                  ConstMatrixView dstGrad, MatrixView leftGrad)
{
    const AxisFactor a = problem.left;
    const AxisFactor b = problem.right;
    forEachRowOf(pool, problem, dstGrad.rows, [&](std::int64_t r) {
        for (std::int64_t i = 0; i < a.vectors(); ++i) {
            const float* const grad = dstGrad.at(r) + i * b.vectors();
            float* const to = leftGrad.at(r) + a.at(i);
            for (std::int64_t k = 0; k < a.depth; k += kSums) {
                const std::int64_t count = std::min(kSums, a.depth - k);
                NeighbourSums sums(count);
                for (std::int64_t j = 0; j < b.vectors(); ++j) {
                    sums.add(grad[j], {right.at(r) + b.at(j) + k * b.inner, b.inner});
                }
                sums.store(to + k * a.inner, a.inner);
            }
        }
    });
}

void rightGradient(ThreadPool& pool, const AxisProductProblem& problem, ConstMatrixView left,
                   ConstMatrixView dstGrad, MatrixView rightGrad)
{
    const AxisFactor a = problem.left;
    const AxisFactor b = problem.right;
    forEachRowOf(pool, problem, dstGrad.rows, [&](std::int64_t r) {
        for (std::int64_t j = 0; j < b.vectors(); ++j) {
            const float* const grad = dstGrad.at(r) + j;
            float* const to = rightGrad.at(r) + b.at(j);
            for (std::int64_t k = 0; k < b.depth; k += kSums) {
                const std::int64_t count = std::min(kSums, b.depth - k);
                NeighbourSums sums(count);
                for (std::int64_t i = 0; i < a.vectors(); ++i) {
                    sums.add(grad[i * b.vectors()], {left.at(r) + a.at(i) + k * a.inner, a.inner});
                }
                sums.store(to + k * b.inner, b.inner);
            }
        }
    });
}

} // namespace

const AxisProductKernels kAxisProduct = {product, leftGradient, rightGradient};

} // namespace cannery::kernels::cpu
