// SPDX-License-Identifier: Apache-2.0
#include "kernels/ops/optimizer_step.h"

#include "kernels/cpu/marked_rows.h"
#include "kernels/cpu/row_pack.h"
#include "kernels/cpu/weight_runs.h"
#include "kernels/device/row_blocks.h"

#include <algorithm>
#include <array>

namespace cannery::kernels::cpu {

namespace {

/// Rows with fewer weights than this are packed before a rule is applied to them.
constexpr std::int64_t kNarrowCols = 8;
/// How many rows ahead memory is prefetched, and how much of each.
constexpr std::int64_t kRowsAhead = 4;
constexpr std::int64_t kPrefetchedFloats = 64;
constexpr std::int64_t kLineFloats = 16;

using Run = WeightRun;

void apply(const SgdUpdate& update, const Run& x)
{
    // Two loops: the option does not change within one.
    if (update.momentum == 0) {
        forEachWeight(x.count, [=](std::int64_t i) { update.plain(x.w[i], x.g[i]); });
    } else {
        forEachWeight(x.count,
                      [=](std::int64_t i) { update.withMomentum(x.w[i], x.a[i], x.g[i]); });
    }
}

void apply(const AdagradUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.apply(x.w[i], x.a[i], x.g[i]); });
}

void apply(const AdadeltaUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.apply(x.w[i], x.a[i], x.b[i], x.g[i]); });
}

void apply(const AdamaxUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.apply(x.w[i], x.a[i], x.b[i], x.g[i]); });
}

void moveAdam(const AdamUpdate& update, const Run& x)
{
    const float alpha = update.alpha();
    if (update.amsgrad) {
        forEachWeight(x.count, [=](std::int64_t i) {
            x.c[i] = std::max(x.c[i], x.b[i]);
            update.move(x.w[i], x.a[i], x.c[i], alpha);
        });
    } else {
        forEachWeight(x.count, [=](std::int64_t i) { update.move(x.w[i], x.a[i], x.b[i], alpha); });
    }
}

void apply(const AdamUpdate& update, const Run& x)
{
    // All moments before any weight: the largest moment of each weight is kept in a slot.
    if (update.amsgrad) {
        forEachWeight(x.count, [=](std::int64_t i) { update.moments(x.a[i], x.b[i], x.g[i]); });
        return moveAdam(update, x);
    }
    const float alpha = update.alpha();
    forEachWeight(x.count, [=](std::int64_t i) {
        update.moments(x.a[i], x.b[i], x.g[i]);
        update.move(x.w[i], x.a[i], x.b[i], alpha);
    });
}

void decayWeights(const AdamWUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.decayWeight(x.w[i]); });
}

void apply(const AdamWUpdate& update, const Run& x)
{
    // Before the step, as in Keras.
    decayWeights(update, x);
    apply(update.adam, x);
}

void apply(const NadamUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) {
        update.decayMoments(x.a[i], x.b[i]);
        update.addAndMove(x.w[i], x.a[i], x.b[i], x.g[i]);
    });
}

/// The options of a rule that affect a weight's loop, as types: the loop has no branches.
template <bool Decay, bool Centered, bool Momentum>
void applyRmsPropWith(const RmsPropUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) {
        const float g = x.g[i];
        // The options are types, so that the compiler drops what is not used.
        if constexpr (Decay) {
            update.decay(x.a[i]);
        }
        update.add(x.a[i], g * g);
        float d = x.a[i];
        if constexpr (Centered) {
            if constexpr (Decay) {
                update.decay(x.c[i]);
            }
            update.add(x.c[i], g);
            d -= x.c[i] * x.c[i];
        }
        if constexpr (Momentum) {
            update.moveWithMomentum(x.w[i], x.b[i], d, g);
        } else {
            update.move(x.w[i], d, g);
        }
    });
}

/// `decay` is false if every row has already been decayed, which only happens without momentum.
void applyRmsProp(const RmsPropUpdate& update, const Run& x, bool decay)
{
    if (update.momentum != 0) {
        update.centered ? applyRmsPropWith<true, true, true>(update, x)
                        : applyRmsPropWith<true, false, true>(update, x);
    } else if (decay) {
        update.centered ? applyRmsPropWith<true, true, false>(update, x)
                        : applyRmsPropWith<true, false, false>(update, x);
    } else {
        update.centered ? applyRmsPropWith<false, true, false>(update, x)
                        : applyRmsPropWith<false, false, false>(update, x);
    }
}

void apply(const RmsPropUpdate& update, const Run& x)
{
    applyRmsProp(update, x, true);
}

void apply(const FtrlUpdate& update, const Run& x)
{
    if (!update.moves()) {
        // Its rate may be 0, and then nothing moves.
        return;
    }
    const float l2 = update.adjustedL2();
    // The usual power is a root, which is much faster.
    if (update.learningRatePower == -0.5F) {
        forEachWeight(x.count, [=](std::int64_t i) {
            const auto root = [](float n) { return std::sqrt(n); };
            update.apply(x.w[i], x.a[i], x.b[i], x.g[i], l2, root);
        });
    } else {
        forEachWeight(x.count, [=](std::int64_t i) {
            const auto power = [&](float n) { return std::pow(n, -update.learningRatePower); };
            update.apply(x.w[i], x.a[i], x.b[i], x.g[i], l2, power);
        });
    }
}

void apply(const ProximalGradientDescentUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.apply(x.w[i], x.g[i]); });
}

void apply(const ProximalAdagradUpdate& update, const Run& x)
{
    forEachWeight(x.count, [=](std::int64_t i) { update.apply(x.w[i], x.a[i], x.g[i]); });
}

void apply(const KerasFtrlUpdate& update, const Run& x)
{
    apply(update.ftrl, x);
}

/// A sparse step: what is done to every row, then to the rows present, then again to every row.
template <typename Update>
struct Phases
{
    static void before(const Update&, const Run&) {}
    static void rows(const Update& update, const Run& x) { apply(update, x); }
    static void after(const Update&, const Run&) {}
};

/// As Keras's sparse updates: moments of all rows decay, and rows without a gradient move, too.
template <>
struct Phases<AdamUpdate>
{
    static void before(const AdamUpdate& update, const Run& x)
    {
        forEachWeight(x.count, [=](std::int64_t i) { update.decayMoments(x.a[i], x.b[i]); });
    }
    static void rows(const AdamUpdate& update, const Run& x)
    {
        forEachWeight(x.count, [=](std::int64_t i) { update.addMoments(x.a[i], x.b[i], x.g[i]); });
    }
    static void after(const AdamUpdate& update, const Run& x) { moveAdam(update, x); }
};

template <>
struct Phases<AdamWUpdate>
{
    static void before(const AdamWUpdate& update, const Run& x)
    {
        decayWeights(update, x);
        Phases<AdamUpdate>::before(update.adam, x);
    }
    static void rows(const AdamWUpdate& update, const Run& x)
    {
        Phases<AdamUpdate>::rows(update.adam, x);
    }
    static void after(const AdamWUpdate& update, const Run& x) { moveAdam(update.adam, x); }
};

template <>
struct Phases<NadamUpdate>
{
    static void before(const NadamUpdate& update, const Run& x)
    {
        forEachWeight(x.count, [=](std::int64_t i) { update.decayMoments(x.a[i], x.b[i]); });
    }
    static void rows(const NadamUpdate& update, const Run& x)
    {
        forEachWeight(x.count,
                      [=](std::int64_t i) { update.addAndMove(x.w[i], x.a[i], x.b[i], x.g[i]); });
    }
    static void after(const NadamUpdate&, const Run&) {}
};

template <>
struct Phases<RmsPropUpdate>
{
    static void before(const RmsPropUpdate& update, const Run& x)
    {
        forEachWeight(x.count, [=](std::int64_t i) { update.decay(x.a[i]); });
        if (update.centered) {
            forEachWeight(x.count, [=](std::int64_t i) { update.decay(x.c[i]); });
        }
    }
    static void rows(const RmsPropUpdate& update, const Run& x)
    {
        applyRmsProp(update, x, update.momentum != 0);
    }
    static void after(const RmsPropUpdate&, const Run&) {}
};

Run runOf(float* weights, const OptimizerSlots& slots, std::int64_t first, std::int64_t count)
{
    const auto at = [first](std::span<float> values) {
        // A rule uses as many slots as it needs.
        return values.empty() ? nullptr : values.data() + first;
    };
    return {.w = weights + first,
            .a = at(slots.first),
            .b = at(slots.second),
            .c = at(slots.third),
            .count = count};
}

template <typename Function>
void forEachRun(ThreadPool& pool, std::span<float> weights, const OptimizerSlots& slots,
                Function&& function)
{
    forEachBlock(pool, static_cast<std::int64_t>(weights.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     Run run = runOf(weights.data(), slots, block.first, block.count);
                     function(run, block.first);
                 });
}

void dense(ThreadPool& pool, const OptimizerUpdate& update, std::span<float> weights,
           const OptimizerSlots& slots, std::span<const float> grad)
{
    std::visit(
        [&](const auto& rule) {
            forEachRun(pool, weights, slots, [&](Run& run, std::int64_t first) {
                run.g = grad.data() + first;
                apply(rule, run);
            });
        },
        update);
}

void prefetchRow(const Arrays& arrays, std::int64_t first, std::int64_t count)
{
    for (std::size_t array = 0; array < arrays.count; ++array) {
        // One address for each line of the cache.
        for (std::int64_t i = 0; i < count; i += kLineFloats) {
            __builtin_prefetch(arrays.all[array] + first + i);
        }
    }
}

std::int64_t zerosIn(const Run& run)
{
    std::int32_t zeros = 0;
    for (std::int64_t i = 0; i < run.count; ++i) {
        zeros += run.w[i] == 0.0F ? 1 : 0;
    }
    return zeros;
}

/// Applies the rule to some rows; returns how many more weights are 0 than before, if requested.
template <typename Rule>
std::int64_t applyRows(const Rule& rule, const Run& run, bool countsZeros)
{
    if (!countsZeros) {
        Phases<Rule>::rows(rule, run);
        return 0;
    }
    // Counted before and after, as a rule can make weights 0.
    const std::int64_t before = zerosIn(run);
    Phases<Rule>::rows(rule, run);
    return zerosIn(run) - before;
}

template <typename Rule>
std::int64_t applyWideRows(const Rule& rule, MatrixView weights, const OptimizerSlots& slots,
                           const SparseGradient& grad, BlockRange rows, bool countsZeros)
{
    std::int64_t newZeros = 0;
    const Arrays arrays = arraysOf(weights.data, slots);
    const std::int64_t end = rows.first + rows.count;
    for (std::int64_t i = rows.first; i < end; ++i) {
        // The rows of a batch are anywhere in the table.
        if (i + kRowsAhead < end) {
            prefetchRow(arrays, grad.rows[i + kRowsAhead] * weights.stride,
                        std::min(grad.cols, kPrefetchedFloats));
        }
        Run run = runOf(weights.data, slots, grad.rows[i] * weights.stride, grad.cols);
        run.g = grad.values.data() + i * grad.cols;
        newZeros += applyRows(rule, run, countsZeros);
    }
    return newZeros;
}

/// Rows of a few weights are packed first, so that the rule is vectorized for them too, while those
/// of the next pack are being prefetched.
template <typename Rule>
std::int64_t applyNarrowRows(const Rule& rule, MatrixView weights, const OptimizerSlots& slots,
                             const SparseGradient& grad, BlockRange rows, bool countsZeros)
{
    std::int64_t newZeros = 0;
    alignas(64) Pack pack;
    const Arrays arrays = arraysOf(weights.data, slots);
    const std::int64_t cols = grad.cols;
    const std::int64_t inPack = kPackFloats / cols;
    const std::span<const std::int32_t> all = std::span(grad.rows).subspan(rows.first, rows.count);
    for (std::int64_t first = 0; first < rows.count; first += inPack) {
        const PackedRows some{.rows = all.subspan(first, std::min(inPack, rows.count - first)),
                              .cols = cols,
                              .stride = weights.stride};
        const auto next = all.subspan(first + static_cast<std::int64_t>(some.rows.size()));
        for (const std::int32_t row :
             next.first(std::min<std::size_t>(next.size(), static_cast<std::size_t>(inPack)))) {
            // One weight is enough, as the row is shorter than a line.
            prefetchRow(arrays, row * weights.stride, 1);
        }
        packRows(some, arrays, pack);
        std::size_t place = 1;
        const auto packOf = [&](std::span<float> values) {
            return values.empty() ? nullptr : pack[place++].data();
        };
        Run run{.w = pack[0].data(), .count = static_cast<std::int64_t>(some.rows.size()) * cols};
        run.a = packOf(slots.first);
        run.b = packOf(slots.second);
        run.c = packOf(slots.third);
        run.g = grad.values.data() + (rows.first + first) * cols;
        newZeros += applyRows(rule, run, countsZeros);
        unpackRows(some, arrays, pack);
    }
    return newZeros;
}

/// One step with a gradient of 0.
template <typename Rule>
void applyZeros(const Rule& rule, Run run)
{
    static constexpr std::array<float, kPackFloats> kZeros{};
    const std::int64_t count = run.count;
    for (std::int64_t first = 0; first < count; first += kPackFloats) {
        run.g = kZeros.data();
        run.count = std::min(kPackFloats, count - first);
        apply(rule, run);
        for (float** values : {&run.w, &run.a, &run.b, &run.c}) {
            *values = *values == nullptr ? nullptr : *values + run.count;
        }
    }
}

/// The rows without a gradient, as kFillsWithZeros wants it.
template <typename Rule>
void applyToOtherRows(ThreadPool& pool, const Rule& rule, MatrixView weights,
                      const OptimizerSlots& slots, const SparseGradient& grad)
{
    const MarkedRows marked(grad.rows, weights.rows);
    forEachRowBlock(pool, weights.rows, weights.cols, [&](BlockRange rows, int) {
        const std::int64_t end = rows.first + rows.count;
        for (std::int64_t first = rows.first; first < end;) {
            std::int64_t next = first;
            while (next < end && !marked.has(next)) {
                ++next;
            }
            applyZeros(rule, runOf(weights.data, slots, first * weights.cols,
                                   (next - first) * weights.cols));
            first = next + 1; // which has a gradient
        }
    });
}

template <typename Rule>
void sparseStep(ThreadPool& pool, const Rule& rule, MatrixView weights, const OptimizerSlots& slots,
                const SparseGradient& grad, ZeroCount* zeros)
{
    if constexpr (kFillsWithZeros<Rule>) {
        applyToOtherRows(pool, rule, weights, slots, grad);
    }
    // Most rules leave rows without a gradient alone.
    const bool movesAll = !kFillsWithZeros<Rule> && movesEveryRow(rule);
    if (movesAll) {
        forEachRun(pool, weights.flat(), slots,
                   [&](Run& run, std::int64_t) { Phases<Rule>::before(rule, run); });
    }
    forEachRowBlock(pool, grad.rowCount(), grad.cols, [&](BlockRange rows, int) {
        const auto apply = grad.cols < kNarrowCols ? applyNarrowRows<Rule> : applyWideRows<Rule>;
        const std::int64_t newZeros = apply(rule, weights, slots, grad, rows, zeros != nullptr);
        if (newZeros != 0) {
            // Once for each block, as all threads share the counter.
            *zeros += newZeros;
        }
    });
    if (movesAll) {
        forEachRun(pool, weights.flat(), slots,
                   [&](Run& run, std::int64_t) { Phases<Rule>::after(rule, run); });
    }
}

void sparse(ThreadPool& pool, const OptimizerUpdate& update, MatrixView weights,
            const OptimizerSlots& slots, const SparseGradient& grad, ZeroCount* zeros)
{
    std::visit([&](const auto& rule) { sparseStep(pool, rule, weights, slots, grad, zeros); },
               update);
}

void average(ThreadPool& pool, std::span<const float> weights, std::span<float> averages,
             float rate)
{
    forEachBlock(pool, static_cast<std::int64_t>(averages.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     const float* w = weights.data() + block.first;
                     float* a = averages.data() + block.first;
                     forEachWeight(block.count,
                                   [=](std::int64_t i) { a[i] -= (a[i] - w[i]) * rate; });
                 });
}

void decay(ThreadPool& pool, std::span<float> weights, float share, float rate)
{
    forEachBlock(pool, static_cast<std::int64_t>(weights.size()), kBlockElements,
                 [&](BlockRange block, int) {
                     float* w = weights.data() + block.first;
                     forEachWeight(block.count,
                                   [=](std::int64_t i) { w[i] -= w[i] * share * rate; });
                 });
}

} // namespace

const OptimizerStepKernels kOptimizerStep = {dense, sparse, average, decay};

} // namespace cannery::kernels::cpu
