// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/optimizer_cells.h"

#include <cstdint>

/// What the steps of all optimizers work on, and the rules of tf.keras.optimizers on it.
namespace cannery::kernels::cpu {

/// Contiguous weights, their slots and gradients. In the loops below no two pointers alias.
struct WeightRun
{
    float* w = nullptr;
    float* a = nullptr;
    float* b = nullptr;
    float* c = nullptr;
    const float* g = nullptr;
    std::int64_t count = 0;
};

/// function(i) for a whole run, vectorized: no iteration reads what another writes.
template <typename Function>
void forEachWeight(std::int64_t count, Function&& function)
{
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::int64_t i = 0; i < count; ++i) {
        function(i);
    }
}

/// Which slots are there is a type, so that the loop has no branches.
template <bool HasB, bool HasC, typename Rule>
void applyToCells(const Rule& rule, const WeightRun& x)
{
    forEachWeight(x.count, [=](std::int64_t i) {
        OptimizerCell<float> cell{x.w[i], x.a[i], 0.0F, 0.0F};
        if constexpr (HasB) {
            cell.b = x.b[i];
        }
        if constexpr (HasC) {
            cell.c = x.c[i];
        }
        applyRule(rule, cell, x.g[i]);
        x.w[i] = cell.w;
        x.a[i] = cell.a;
        if constexpr (HasB) {
            x.b[i] = cell.b;
        }
        if constexpr (HasC) {
            x.c[i] = cell.c;
        }
    });
}

inline void apply(const KerasMomentumUpdate& update, const WeightRun& x)
{
    applyToCells<false, false>(update, x);
}

inline void apply(const KerasAdagradUpdate& update, const WeightRun& x)
{
    applyToCells<false, false>(update, x);
}

inline void apply(const KerasAdadeltaUpdate& update, const WeightRun& x)
{
    applyToCells<true, false>(update, x);
}

inline void apply(const KerasAdamaxUpdate& update, const WeightRun& x)
{
    applyToCells<true, false>(update, x);
}

inline void apply(const KerasNadamUpdate& update, const WeightRun& x)
{
    applyToCells<true, false>(update, x);
}

inline void apply(const KerasRmsPropUpdate& update, const WeightRun& x)
{
    if (x.b != nullptr) {
        x.c != nullptr ? applyToCells<true, true>(update, x) : applyToCells<true, false>(update, x);
    } else {
        x.c != nullptr ? applyToCells<false, true>(update, x)
                       : applyToCells<false, false>(update, x);
    }
}

inline void apply(const LionUpdate& update, const WeightRun& x)
{
    applyToCells<false, false>(update, x);
}

} // namespace cannery::kernels::cpu
