// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"
#include "kernels/math/host_device.h"

#include <cmath>
#include <cstdint>
#include <numbers>

/// Losses of one element, z the logit and y the label, as in tf.estimator's heads (estimator-canon
/// 2.2), and their slopes by z. Templates: float in the fast kernels, double in the reference.
namespace cannery::kernels {

enum class Loss : std::uint8_t
{
    SigmoidCrossEntropy,
    /// logsumexp(z) - z[y] over a row; slope softmax(z) - onehot(y)
    SoftmaxCrossEntropy,
    SquaredError,
    /// including the terms that do not depend on z (compute_full_loss), TensorFlow's default
    PoissonFull,
    Poisson,
};

inline constexpr int kLossCount = 5;

/// max(z, 0) - z y + ln(1 + e^-|z|), slope 1 / (1 + e^-z) - y; any y in [0, 1]
/// (tf.nn.sigmoid_cross_entropy_with_logits)
struct SigmoidCrossEntropyFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T z, T y)
    {
        return (z < T(0) ? T(0) : z) - z * y + logarithmOfOnePlus(exponential(-std::abs(z)));
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T z, T y)
    {
        return logistic(z) - y;
    }
};

/// (z - y)^2, slope 2 (z - y)
struct SquaredErrorFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T z, T y)
    {
        return (z - y) * (z - y);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T z, T y)
    {
        return T(2) * (z - y);
    }
};

/// e^z - z y, slope e^z - y  (tf.nn.log_poisson_loss)
struct PoissonFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T z, T y)
    {
        return exponential(z) - z * y;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T z, T y)
    {
        return exponential(z) - y;
    }
};

/// The same plus Stirling's ln(y!) = y ln y - y + ln(2 pi y) / 2 for y > 1; 0 for y in [0, 1].
struct PoissonFullFormula
{
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T z, T y)
    {
        const T stirling = y * std::log(y) - y + T(0.5) * std::log(T(2 * std::numbers::pi) * y);
        return PoissonFormula::value(z, y) + (y >= T(0) && y <= T(1) ? T(0) : stirling);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T z, T y)
    {
        return PoissonFormula::slope(z, y);
    }
};

} // namespace cannery::kernels
