// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

#include "kernels/math/optimizer_cells.h"

#include <algorithm>

namespace cannery::kernels::reference {

namespace {

/// Steps are computed in double.
using Cell = OptimizerCell<double>;

/// Runs function(cell) on element i of the weights and slots.
template <typename Function>
void onCell(std::span<float> weights, const OptimizerSlots& slots, std::size_t i,
            Function&& function)
{
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

void dense(ThreadPool&, const OptimizerUpdate& update, std::span<float> weights,
           const OptimizerSlots& slots, std::span<const float> grad)
{
    std::visit(
        [&](const auto& rule) {
            for (std::size_t i = 0; i < weights.size(); ++i) {
                onCell(weights, slots, i,
                       [&](Cell& cell) { applyRule(rule, cell, double(grad[i])); });
            }
        },
        update);
}

template <typename Rule>
void sparseStep(const Rule& rule, MatrixView weights, const OptimizerSlots& slots,
                const SparseGradient& grad, ZeroCount* zeros)
{
    const std::span<float> flat = weights.flat();
    const std::int64_t zerosBefore = std::ranges::count(flat, 0.0F);
    for (std::size_t i = 0; i < flat.size(); ++i) {
        onCell(flat, slots, i, [&](Cell& cell) { SparseStep<Rule>::before(rule, cell); });
    }
    for (std::int64_t r = 0; r < grad.rowCount(); ++r) {
        for (std::int64_t c = 0; c < grad.cols; ++c) {
            const auto i = static_cast<std::size_t>(grad.rows[r] * grad.cols + c);
            const double g = grad.values[r * grad.cols + c];
            onCell(flat, slots, i, [&](Cell& cell) { SparseStep<Rule>::row(rule, cell, g); });
        }
    }
    for (std::size_t i = 0; i < flat.size(); ++i) {
        onCell(flat, slots, i, [&](Cell& cell) { SparseStep<Rule>::after(rule, cell); });
    }
    if (zeros != nullptr) {
        *zeros += std::ranges::count(flat, 0.0F) - zerosBefore;
    }
}

void sparse(ThreadPool&, const OptimizerUpdate& update, MatrixView weights,
            const OptimizerSlots& slots, const SparseGradient& grad, ZeroCount* zeros)
{
    std::visit([&](const auto& rule) { sparseStep(rule, weights, slots, grad, zeros); }, update);
}

void average(ThreadPool&, std::span<const float> weights, std::span<float> averages, float rate)
{
    for (std::size_t i = 0; i < averages.size(); ++i) {
        const double distance = double(averages[i]) - double(weights[i]);
        averages[i] = static_cast<float>(double(averages[i]) - distance * double(rate));
    }
}

} // namespace

const OptimizerStepKernels kOptimizerStep = {dense, sparse, average};

} // namespace cannery::kernels::reference
