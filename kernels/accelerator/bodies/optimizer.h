// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/bodies/element.h"
#include "kernels/math/optimizer_cells.h"
#include "kernels/ops/optimizer_step.h"

#include <type_traits>
#include <utility>
#include <variant>

/// Steps of optimizers. Weights, slots and gradients are contiguous.
namespace cannery::kernels::bodies {

/// The weights of a variable and their slots; null where the rule does not use them.
struct Weights
{
    float* weights = nullptr;
    float* first = nullptr;
    float* second = nullptr;
    float* third = nullptr;

    CANNERY_HOST_DEVICE OptimizerCell<float> load(std::int64_t index) const
    {
        return {weights[index], first == nullptr ? 0.0F : first[index],
                second == nullptr ? 0.0F : second[index], third == nullptr ? 0.0F : third[index]};
    }
    CANNERY_HOST_DEVICE void store(std::int64_t index, const OptimizerCell<float>& cell) const
    {
        weights[index] = cell.w;
        if (first != nullptr) {
            first[index] = cell.a;
        }
        if (second != nullptr) {
            second[index] = cell.b;
        }
        if (third != nullptr) {
            third[index] = cell.c;
        }
    }
};

template <typename Rule>
struct DenseUpdateBody
{
    StepData update;
    Weights weights;
    const float* grad = nullptr;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        OptimizerCell<float> cell = weights.load(index);
        applyRule(*stepValue<Rule>(update), cell, grad[index]);
        weights.store(index, cell);
    }
};

enum class SparsePart : std::uint8_t
{
    Before,
    After,
};

template <typename Rule, SparsePart part>
struct EveryRowBody
{
    StepData update;
    Weights weights;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        OptimizerCell<float> cell = weights.load(index);
        if constexpr (part == SparsePart::Before) {
            SparseStep<Rule>::before(*stepValue<Rule>(update), cell);
        } else {
            SparseStep<Rule>::after(*stepValue<Rule>(update), cell);
        }
        weights.store(index, cell);
    }
};

template <typename Rule>
struct SparseRowsBody
{
    StepData update;
    Weights weights;
    DeviceSparse grad;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        const Place place = placeOf(index, grad.cols);
        if (place.row >= *grad.count) {
            return;
        }
        const std::int64_t at = grad.rows[place.row] * grad.cols + place.col;
        OptimizerCell<float> cell = weights.load(at);
        SparseStep<Rule>::row(*stepValue<Rule>(update), cell, grad.values[index]);
        weights.store(at, cell);
    }
};

struct MoveTowardsBody
{
    float* moving = nullptr;
    const float* target = nullptr;
    float rate = 0.0F;
    float targetScale = 1.0F;

    CANNERY_HOST_DEVICE void operator()(std::int64_t index) const
    {
        moving[index] -= (moving[index] - target[index] * targetScale) * rate;
    }
};

/// Calls function(type) for the alternative `rule` of OptimizerUpdate.
template <std::size_t first = 0, typename Function>
void withRule(std::size_t rule, const Function& function)
{
    if constexpr (first < std::variant_size_v<OptimizerUpdate>) {
        using Rule = std::variant_alternative_t<first, OptimizerUpdate>;
        static_assert(std::is_trivially_copyable_v<Rule>, "it is copied to the device");
        if (rule == first) {
            return function(std::type_identity<Rule>());
        }
        withRule<first + 1>(rule, function);
    }
}

template <typename Launcher>
void run(Launcher& launcher, const DenseUpdate& step)
{
    const Weights weights{step.weights.data, step.first, step.second, step.third};
    withRule(step.rule, [&](auto type) {
        using Rule = typename decltype(type)::type;
        launcher.forEach(step.weights.rows * step.weights.cols,
                         DenseUpdateBody<Rule>{step.update, weights, step.grad.data});
    });
}

template <typename Launcher>
void run(Launcher& launcher, const SparseUpdate& step)
{
    const Weights weights{step.weights.data, step.first, step.second, step.third};
    const std::int64_t count = step.weights.rows * step.weights.cols;
    withRule(step.rule, [&](auto type) {
        using Rule = typename decltype(type)::type;
        if constexpr (SparseStep<Rule>::kMovesEveryRow) {
            launcher.forEach(count, EveryRowBody<Rule, SparsePart::Before>{step.update, weights});
        }
        launcher.forEach(step.grad.capacity * step.grad.cols,
                         SparseRowsBody<Rule>{step.update, weights, step.grad});
        if constexpr (SparseStep<Rule>::kMovesEveryRow) {
            launcher.forEach(count, EveryRowBody<Rule, SparsePart::After>{step.update, weights});
        }
    });
}

template <typename Launcher>
void run(Launcher& launcher, const AverageWeights& average)
{
    launcher.forEach(average.weights.rows * average.weights.cols,
                     MoveTowardsBody{average.averages, average.weights.data, average.rate});
}

/// updateMovingMoments().
template <typename Launcher>
void run(Launcher& launcher, const UpdateMoving& update)
{
    launcher.forEach(update.size, MoveTowardsBody{update.moving, update.batch,
                                                  1.0F - update.momentum, update.batchScale});
}

} // namespace cannery::kernels::bodies
