// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"
#include "kernels/math/keras_updates.h"
#include "kernels/math/optimizer_updates.h"

#include <cmath>
#include <type_traits>

/// Steps of one weight at a time, by every rule; see optimizer_updates.h and keras_updates.h for
/// the formulas.
namespace cannery::kernels {

/// A weight and its slots during a step. A slot that the rule does not have is 0.
template <typename T>
struct OptimizerCell
{
    T w;
    T a;
    T b;
    T c;
};

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const SgdUpdate& update, OptimizerCell<T>& x, T g)
{
    if (update.momentum == 0) {
        update.plain(x.w, g);
    } else {
        update.withMomentum(x.w, x.a, g);
    }
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const AdagradUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const AdadeltaUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, g);
}

template <typename T>
CANNERY_HOST_DEVICE void moveAdam(const AdamUpdate& update, OptimizerCell<T>& x)
{
    x.c = update.amsgrad ? std::max(x.c, x.b) : x.c;
    update.move(x.w, x.a, update.amsgrad ? x.c : x.b, T(update.alpha()));
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const AdamUpdate& update, OptimizerCell<T>& x, T g)
{
    update.moments(x.a, x.b, g);
    moveAdam(update, x);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const AdamWUpdate& update, OptimizerCell<T>& x, T g)
{
    update.decayWeight(x.w);
    applyRule(update.adam, x, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const AdamaxUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const NadamUpdate& update, OptimizerCell<T>& x, T g)
{
    update.decayMoments(x.a, x.b);
    update.addAndMove(x.w, x.a, x.b, g);
}

/// After the means have been decayed.
template <typename T>
CANNERY_HOST_DEVICE void moveRmsProp(const RmsPropUpdate& update, OptimizerCell<T>& x, T g)
{
    update.add(x.a, g * g);
    if (update.centered) {
        update.add(x.c, g);
    }
    const T d = update.centered ? x.a - x.c * x.c : x.a;
    if (update.momentum == 0) {
        update.move(x.w, d, g);
    } else {
        update.moveWithMomentum(x.w, x.b, d, g);
    }
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const RmsPropUpdate& update, OptimizerCell<T>& x, T g)
{
    update.decay(x.a);
    update.decay(x.c);
    moveRmsProp(update, x, g);
}

/// x^p of FtrlUpdate.
template <typename T>
struct FtrlPower
{
    float learningRatePower;

    CANNERY_HOST_DEVICE T operator()(T x) const
    {
        return learningRatePower == -0.5F ? std::sqrt(x) : std::pow(x, -T(learningRatePower));
    }
};

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const FtrlUpdate& update, OptimizerCell<T>& x, T g)
{
    if (update.moves()) {
        const FtrlPower<T> power{update.learningRatePower};
        update.apply(x.w, x.a, x.b, g, T(update.adjustedL2()), power);
    }
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const ProximalGradientDescentUpdate& update, OptimizerCell<T>& x,
                                   T g)
{
    update.apply(x.w, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const ProximalAdagradUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasMomentumUpdate& update, OptimizerCell<T>& x, T g)
{
    update.sgd.withMomentum(x.w, x.a, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasAdagradUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasAdadeltaUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasAdamaxUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasNadamUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasRmsPropUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, x.b, x.c, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const KerasFtrlUpdate& update, OptimizerCell<T>& x, T g)
{
    applyRule(update.ftrl, x, g);
}

template <typename T>
CANNERY_HOST_DEVICE void applyRule(const LionUpdate& update, OptimizerCell<T>& x, T g)
{
    update.apply(x.w, x.a, g);
}

/// Whether a gradient of some rows is one of all rows, with zeros in the others. (Adagrad leaves
/// rows without a gradient alone, so its step is that of the rows.)
template <typename Update>
inline constexpr bool kFillsWithZeros =
    std::is_same_v<Update, KerasMomentumUpdate> || std::is_same_v<Update, KerasAdadeltaUpdate> ||
    std::is_same_v<Update, KerasAdamaxUpdate> || std::is_same_v<Update, KerasNadamUpdate> ||
    std::is_same_v<Update, KerasRmsPropUpdate> || std::is_same_v<Update, KerasFtrlUpdate> ||
    std::is_same_v<Update, LionUpdate>;

/// A step with a gradient of some rows, unless kFillsWithZeros: what it does to every row, before
/// and after its own rows. See OptimizerStepKernels::sparse.
template <typename Update>
struct SparseStep
{
    static constexpr bool kMovesEveryRow = false;
    template <typename T>
    CANNERY_HOST_DEVICE static void before(const Update&, OptimizerCell<T>&)
    {}
    template <typename T>
    CANNERY_HOST_DEVICE static void row(const Update& update, OptimizerCell<T>& x, T g)
    {
        applyRule(update, x, g);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void after(const Update&, OptimizerCell<T>&)
    {}
};

template <>
struct SparseStep<AdamUpdate>
{
    static constexpr bool kMovesEveryRow = true;
    template <typename T>
    CANNERY_HOST_DEVICE static void before(const AdamUpdate& update, OptimizerCell<T>& x)
    {
        update.decayMoments(x.a, x.b);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void row(const AdamUpdate& update, OptimizerCell<T>& x, T g)
    {
        update.addMoments(x.a, x.b, g);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void after(const AdamUpdate& update, OptimizerCell<T>& x)
    {
        moveAdam(update, x);
    }
};

template <>
struct SparseStep<AdamWUpdate>
{
    static constexpr bool kMovesEveryRow = true;
    template <typename T>
    CANNERY_HOST_DEVICE static void before(const AdamWUpdate& update, OptimizerCell<T>& x)
    {
        update.decayWeight(x.w);
        update.adam.decayMoments(x.a, x.b);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void row(const AdamWUpdate& update, OptimizerCell<T>& x, T g)
    {
        update.adam.addMoments(x.a, x.b, g);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void after(const AdamWUpdate& update, OptimizerCell<T>& x)
    {
        moveAdam(update.adam, x);
    }
};

template <>
struct SparseStep<NadamUpdate>
{
    static constexpr bool kMovesEveryRow = true;
    template <typename T>
    CANNERY_HOST_DEVICE static void before(const NadamUpdate& update, OptimizerCell<T>& x)
    {
        update.decayMoments(x.a, x.b);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void row(const NadamUpdate& update, OptimizerCell<T>& x, T g)
    {
        update.addAndMove(x.w, x.a, x.b, g);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void after(const NadamUpdate&, OptimizerCell<T>&)
    {}
};

/// With momentum it leaves other rows alone.
template <>
struct SparseStep<RmsPropUpdate>
{
    static constexpr bool kMovesEveryRow = true;
    template <typename T>
    CANNERY_HOST_DEVICE static void before(const RmsPropUpdate& update, OptimizerCell<T>& x)
    {
        if (update.momentum == 0) {
            update.decay(x.a);
            update.decay(x.c);
        }
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void row(const RmsPropUpdate& update, OptimizerCell<T>& x, T g)
    {
        if (update.momentum == 0) {
            moveRmsProp(update, x, g);
        } else {
            applyRule(update, x, g);
        }
    }
    template <typename T>
    CANNERY_HOST_DEVICE static void after(const RmsPropUpdate&, OptimizerCell<T>&)
    {}
};

} // namespace cannery::kernels
