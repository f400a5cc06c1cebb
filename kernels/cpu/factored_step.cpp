// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/factored_step.h"

#include "kernels/device/row_blocks.h"
#include "kernels/ops/vector_ops.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace cannery::kernels::cpu {

namespace {

/// Partial sums of a row, so that the loop is vectorized and its order fixed.
constexpr std::int64_t kLanes = 8;

double factoredRms(ThreadPool& pool, std::span<const float> values)
{
    return std::sqrt(vectorKernels().sumOfSquares(pool, values) /
                     static_cast<double>(values.size()));
}

double sumOfRow(const float* g, std::int64_t count)
{
    std::array<double, kLanes> sums{};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const double value = g[i + lane];
            sums[static_cast<std::size_t>(lane)] += value * value;
        }
    }
    double sum = 0.0;
    for (const double lane : sums) {
        sum += lane;
    }
    for (; i < count; ++i) {
        sum += static_cast<double>(g[i]) * g[i];
    }
    return sum;
}

float followed(float mean, double sum, std::int64_t count, const FactoredUpdate& update)
{
    const double value = sum / static_cast<double>(count) + static_cast<double>(update.epsilon1);
    const auto share = static_cast<double>(update.share);
    return static_cast<float>(mean * share + value * (1.0 - share));
}

void followRows(ThreadPool& pool, const FactoredUpdate& update, const FactoredVariable& x)
{
    forEachRowBlock(pool, x.matrices * x.rows, x.cols, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            x.ofRows[static_cast<std::size_t>(row)] =
                followed(x.ofRows[static_cast<std::size_t>(row)],
                         sumOfRow(x.gradient.data() + row * x.cols, x.cols), x.cols, update);
        }
    });
}

void followColumns(ThreadPool& pool, const FactoredUpdate& update, const FactoredVariable& x,
                   std::int64_t matrix)
{
    const float* gradient = x.gradient.data() + matrix * x.rows * x.cols;
    float* means = x.ofColumns.data() + matrix * x.cols;
    forEachColumnBlock(pool, x.rows, x.cols, [&](BlockRange cols, int) {
        std::array<double, kBlockCols> sums{};
        for (std::int64_t row = 0; row < x.rows; ++row) {
            const float* g = gradient + row * x.cols + cols.first;
            for (std::int64_t col = 0; col < cols.count; ++col) {
                const double value = g[col];
                sums[static_cast<std::size_t>(col)] += value * value;
            }
        }
        for (std::int64_t col = 0; col < cols.count; ++col) {
            float& mean = means[cols.first + col];
            mean = followed(mean, sums[static_cast<std::size_t>(col)], x.rows, update);
        }
    });
}

/// v of one matrix, and u in place of the gradient.
void divide(ThreadPool& pool, const FactoredVariable& x, std::int64_t matrix)
{
    const float* ofRows = x.ofRows.data() + matrix * x.rows;
    const float* ofColumns = x.ofColumns.data() + matrix * x.cols;
    double sum = 0.0;
    for (std::int64_t row = 0; row < x.rows; ++row) {
        sum += ofRows[row];
    }
    const auto mean = static_cast<float>(sum / static_cast<double>(x.rows));
    forEachRowBlock(pool, x.rows, x.cols, [&](BlockRange rows, int) {
        for (std::int64_t row = rows.first; row < rows.first + rows.count; ++row) {
            const std::int64_t first = (matrix * x.rows + row) * x.cols;
            const float part = ofRows[row] / mean;
            float* v = x.squares.data() + first;
            float* g = x.gradient.data() + first;
            for (std::int64_t col = 0; col < x.cols; ++col) {
                v[col] = part * ofColumns[col];
                g[col] /= std::sqrt(v[col]);
            }
        }
    });
}

void divideByOwn(ThreadPool& pool, const FactoredUpdate& update, const FactoredVariable& x)
{
    forEachBlock(pool, static_cast<std::int64_t>(x.weights.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     float* v = x.squares.data() + block.first;
                     float* g = x.gradient.data() + block.first;
                     const float rest = 1.0F - update.share;
                     for (std::int64_t i = 0; i < block.count; ++i) {
                         v[i] = v[i] * update.share + (g[i] * g[i] + update.epsilon1) * rest;
                         g[i] /= std::sqrt(v[i]);
                     }
                 });
}

void step(ThreadPool& pool, const FactoredUpdate& update, const FactoredVariable& x)
{
    if (x.weights.empty()) {
        return;
    }
    const double size =
        std::max(static_cast<double>(update.epsilon2), factoredRms(pool, x.weights));
    if (x.ofRows.empty()) {
        divideByOwn(pool, update, x);
    } else {
        followRows(pool, update, x);
        for (std::int64_t matrix = 0; matrix < x.matrices; ++matrix) {
            followColumns(pool, update, x, matrix);
            divide(pool, x, matrix);
        }
    }
    const double clip =
        std::max(1.0, factoredRms(pool, x.gradient) / static_cast<double>(update.clipThreshold));
    const auto rate = static_cast<float>(size * static_cast<double>(update.rate) / clip);
    vectorKernels().axpy(pool, -rate, x.gradient, x.weights);
}

} // namespace

const FactoredStepKernels kFactoredStep = {step};

} // namespace cannery::kernels::cpu
