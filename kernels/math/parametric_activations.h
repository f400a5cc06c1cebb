// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"
#include "kernels/math/host_device.h"

#include <limits>

/// The activation layers of Keras 2.15 that have parameters: y = f(x) and the slope f'(x), both
/// from x. Each formula is a template: float in the fast kernels, double in the reference. NaN is
/// preserved.
namespace cannery::kernels {

/// tf.keras.layers.ReLU, LeakyReLU and ThresholdedReLU: x above the threshold but no more than
/// `cap`, else slope (x - threshold), as keras.backend.relu computes it.
struct Rectifier
{
    float slope = 0.0F;
    float threshold = 0.0F;
    float cap = std::numeric_limits<float>::infinity();
    /// The derivative at the threshold itself. tf.nn.leaky_relu, which Keras takes where a slope is
    /// all there is, has the slope there, and everything else 0.
    float slopeAtThreshold = 0.0F;
    /// The derivative at the cap itself. tf.nn.relu6, which Keras takes for a cap of 6 without a
    /// threshold, has 0 there, and clipping 1.
    float slopeAtCap = 1.0F;
};

struct RectifierFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(const Rectifier& unit, T x)
    {
        // Minus infinity times a slope of 0 would be NaN.
        const T distance = x < -T(std::numeric_limits<float>::max()) && unit.slope == 0.0F
                               ? T(0)
                               : x - T(unit.threshold);
        const T low = T(unit.slope) * distance;
        const T high = x > T(unit.cap) ? T(unit.cap) : x;
        return x > T(unit.threshold) ? high : low;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(const Rectifier& unit, T x)
    {
        const T high = x == T(unit.cap) ? T(unit.slopeAtCap) : T(x > T(unit.cap) ? 0 : 1);
        const T low = x == T(unit.threshold) ? T(unit.slopeAtThreshold) : T(unit.slope);
        return x > T(unit.threshold) ? high : low;
    }
};

/// y = x > 0 ? x : alpha (e^x - 1), y' = x > 0 ? 1 : alpha e^x  (Clevert et al. 2015)
struct ExponentialUnitFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T alpha, T x)
    {
        const T low = alpha * exponentialMinusOne(x);
        return x > T(0) ? x : low;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T alpha, T x)
    {
        const T low = alpha * exponential(x);
        return x > T(0) ? T(1) : low;
    }
};

/// y = max(x, 0) + slope min(x, 0), as Keras adds it up: the derivative at 0 is 0 (He et al. 2015).
struct LearnedSlopeFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T slope, T x)
    {
        return x > T(0) ? x : slope * x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T slope, T x)
    {
        const T low = x == T(0) ? T(0) : slope;
        return x > T(0) ? T(1) : low;
    }
};

} // namespace cannery::kernels
