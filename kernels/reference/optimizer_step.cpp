// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

#include "kernels/math/optimizer_cells.h"

#include <vector>

namespace cannery::kernels::reference {

namespace {

/// Steps are computed in double.
using Cell = OptimizerCell<double>;

/// Runs function(cell) on the weight and the slots at this place.
template <typename Function>
void onCell(float* weights, const OptimizerSlots& slots, std::size_t i, Function&& function)
{
    // A rule uses as many slots as it needs.
    Cell cell{weights[i], slots.first.empty() ? 0 : slots.first[i],
              slots.second.empty() ? 0 : slots.second[i], slots.third.empty() ? 0 : slots.third[i]};
    function(cell);
    weights[i] = static_cast<float>(cell.w);
    const auto store = [i](std::span<float> slot, double value) {
        if (!slot.empty()) {
            slot[i] = static_cast<float>(value);
        }
    };
    store(slots.first, cell.a);
    store(slots.second, cell.b);
    store(slots.third, cell.c);
}

template <typename Rule>
void denseStep(const Rule& rule, std::span<float> weights, const OptimizerSlots& slots,
               std::span<const float> grad)
{
    for (std::size_t i = 0; i < weights.size(); ++i) {
        onCell(weights.data(), slots, i,
               [&](Cell& cell) { applyRule(rule, cell, double(grad[i])); });
    }
}

void dense(ThreadPool&, const OptimizerUpdate& update, std::span<float> weights,
           const OptimizerSlots& slots, std::span<const float> grad)
{
    std::visit([&](const auto& rule) { denseStep(rule, weights, slots, grad); }, update);
}

/// The places of all weights.
template <typename Function>
void forEachPlace(MatrixView weights, Function&& function)
{
    for (std::int64_t r = 0; r < weights.rows; ++r) {
        for (std::int64_t c = 0; c < weights.cols; ++c) {
            function(static_cast<std::size_t>(r * weights.stride + c));
        }
    }
}

std::int64_t zerosIn(MatrixView weights)
{
    std::int64_t zeros = 0;
    forEachPlace(weights, [&](std::size_t i) { zeros += weights.data[i] == 0.0F ? 1 : 0; });
    return zeros;
}

template <typename Rule>
void sparseStep(const Rule& rule, MatrixView weights, const OptimizerSlots& slots,
                const SparseGradient& grad, ZeroCount* zeros)
{
    const std::int64_t zerosBefore = zerosIn(weights);
    // Every row, although most rules leave rows without a gradient alone.
    forEachPlace(weights, [&](std::size_t i) {
        onCell(weights.data, slots, i, [&](Cell& cell) { SparseStep<Rule>::before(rule, cell); });
    });
    for (std::int64_t r = 0; r < grad.rowCount(); ++r) {
        for (std::int64_t c = 0; c < grad.cols; ++c) {
            const auto i = static_cast<std::size_t>(grad.rows[r] * weights.stride + c);
            const double g = grad.values[r * grad.cols + c];
            onCell(weights.data, slots, i,
                   [&](Cell& cell) { SparseStep<Rule>::row(rule, cell, g); });
        }
    }
    forEachPlace(weights, [&](std::size_t i) {
        onCell(weights.data, slots, i, [&](Cell& cell) { SparseStep<Rule>::after(rule, cell); });
    });
    if (zeros != nullptr) {
        *zeros += zerosIn(weights) - zerosBefore;
    }
}

void sparse(ThreadPool& pool, const OptimizerUpdate& update, MatrixView weights,
            const OptimizerSlots& slots, const SparseGradient& grad, ZeroCount* zeros)
{
    if (fillsWithZeros(update)) {
        std::vector<float> filled(static_cast<std::size_t>(weights.rows * weights.cols), 0.0F);
        scatterAdd(pool, grad, matrixView(std::span<float>(filled), weights.rows, weights.cols));
        return dense(pool, update, weights.flat(), slots, filled);
    }
    std::visit([&](const auto& rule) { sparseStep(rule, weights, slots, grad, zeros); }, update);
}

void average(ThreadPool&, std::span<const float> weights, std::span<float> averages, float rate)
{
    for (std::size_t i = 0; i < averages.size(); ++i) {
        const double distance = double(averages[i]) - double(weights[i]);
        averages[i] = static_cast<float>(double(averages[i]) - distance * double(rate));
    }
}

void decay(ThreadPool&, std::span<float> weights, float share, float rate)
{
    for (float& weight : weights) {
        weight = static_cast<float>(double(weight) - double(weight) * share * rate);
    }
}

} // namespace

const OptimizerStepKernels kOptimizerStep = {dense, sparse, average, decay};

} // namespace cannery::kernels::reference
