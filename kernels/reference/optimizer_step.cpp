// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

namespace cannery::kernels::reference {

namespace {

/// One weight and its slots, widened to double for a step.
struct Cell
{
    double w;
    double a;
    double b;
    double c;
};

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

void apply(const SgdUpdate& update, Cell& x, double g)
{
    if (update.momentum == 0) {
        update.plain(x.w, g);
    } else {
        update.withMomentum(x.w, x.a, g);
    }
}

void apply(const AdagradUpdate& update, Cell& x, double g)
{
    update.apply(x.w, x.a, g);
}

void apply(const AdadeltaUpdate& update, Cell& x, double g)
{
    update.apply(x.w, x.a, x.b, g);
}

void moveAdam(const AdamUpdate& update, Cell& x)
{
    x.c = update.amsgrad ? std::max(x.c, x.b) : x.c;
    update.move(x.w, x.a, update.amsgrad ? x.c : x.b, static_cast<double>(update.alpha()));
}

void apply(const AdamUpdate& update, Cell& x, double g)
{
    update.moments(x.a, x.b, g);
    moveAdam(update, x);
}

void apply(const AdamWUpdate& update, Cell& x, double g)
{
    update.decayWeight(x.w);
    apply(update.adam, x, g);
}

void apply(const AdamaxUpdate& update, Cell& x, double g)
{
    update.apply(x.w, x.a, x.b, g);
}

void apply(const NadamUpdate& update, Cell& x, double g)
{
    update.decayMoments(x.a, x.b);
    update.addAndMove(x.w, x.a, x.b, g);
}

/// After the means have been decayed.
void moveRmsProp(const RmsPropUpdate& update, Cell& x, double g)
{
    update.add(x.a, g * g);
    if (update.centered) {
        update.add(x.c, g);
    }
    const double d = update.centered ? x.a - x.c * x.c : x.a;
    if (update.momentum == 0) {
        update.move(x.w, d, g);
    } else {
        update.moveWithMomentum(x.w, x.b, d, g);
    }
}

void apply(const RmsPropUpdate& update, Cell& x, double g)
{
    update.decay(x.a);
    update.decay(x.c);
    moveRmsProp(update, x, g);
}

void apply(const FtrlUpdate& update, Cell& x, double g)
{
    const auto power = [&](double n) { return std::pow(n, -double(update.learningRatePower)); };
    update.apply(x.w, x.a, x.b, g, static_cast<double>(update.adjustedL2()), power);
}

void apply(const ProximalGradientDescentUpdate& update, Cell& x, double g)
{
    update.apply(x.w, g);
}

void apply(const ProximalAdagradUpdate& update, Cell& x, double g)
{
    update.apply(x.w, x.a, g);
}

/// What a sparse step does to every row, before and after its own rows.
template <typename Update>
struct EveryRow
{
    static void before(const Update&, Cell&) {}
    static void row(const Update& update, Cell& x, double g) { apply(update, x, g); }
    static void after(const Update&, Cell&) {}
};

template <>
struct EveryRow<AdamUpdate>
{
    static void before(const AdamUpdate& update, Cell& x) { update.decayMoments(x.a, x.b); }
    static void row(const AdamUpdate& update, Cell& x, double g) { update.addMoments(x.a, x.b, g); }
    static void after(const AdamUpdate& update, Cell& x) { moveAdam(update, x); }
};

template <>
struct EveryRow<AdamWUpdate>
{
    static void before(const AdamWUpdate& update, Cell& x)
    {
        update.decayWeight(x.w);
        update.adam.decayMoments(x.a, x.b);
    }
    static void row(const AdamWUpdate& update, Cell& x, double g)
    {
        update.adam.addMoments(x.a, x.b, g);
    }
    static void after(const AdamWUpdate& update, Cell& x) { moveAdam(update.adam, x); }
};

template <>
struct EveryRow<NadamUpdate>
{
    static void before(const NadamUpdate& update, Cell& x) { update.decayMoments(x.a, x.b); }
    static void row(const NadamUpdate& update, Cell& x, double g)
    {
        update.addAndMove(x.w, x.a, x.b, g);
    }
    static void after(const NadamUpdate&, Cell&) {}
};

template <>
struct EveryRow<RmsPropUpdate>
{
    static void before(const RmsPropUpdate& update, Cell& x)
    {
        if (update.momentum == 0) {
            update.decay(x.a);
            update.decay(x.c);
        }
    }
    static void row(const RmsPropUpdate& update, Cell& x, double g)
    {
        if (update.momentum == 0) {
            moveRmsProp(update, x, g);
        } else {
            apply(update, x, g);
        }
    }
    static void after(const RmsPropUpdate&, Cell&) {}
};

void dense(ThreadPool&, const OptimizerUpdate& update, std::span<float> weights,
           const OptimizerSlots& slots, std::span<const float> grad)
{
    std::visit(
        [&](const auto& rule) {
            for (std::size_t i = 0; i < weights.size(); ++i) {
                onCell(weights, slots, i, [&](Cell& cell) { apply(rule, cell, grad[i]); });
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
        onCell(flat, slots, i, [&](Cell& cell) { EveryRow<Rule>::before(rule, cell); });
    }
    for (std::int64_t r = 0; r < grad.rowCount(); ++r) {
        for (std::int64_t c = 0; c < grad.cols; ++c) {
            const auto i = static_cast<std::size_t>(grad.rows[r] * grad.cols + c);
            const double g = grad.values[r * grad.cols + c];
            onCell(flat, slots, i, [&](Cell& cell) { EveryRow<Rule>::row(rule, cell, g); });
        }
    }
    for (std::size_t i = 0; i < flat.size(); ++i) {
        onCell(flat, slots, i, [&](Cell& cell) { EveryRow<Rule>::after(rule, cell); });
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
