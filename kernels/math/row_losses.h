// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

/// The losses of Keras 2.15 (keras/losses.py, keras/backend.py): one number for each row of outputs
/// p and labels y. Those here are means over a row of one element's formula, with its slope by p;
/// the others read a whole row (kernels/reference/row_loss.cpp). Where TensorFlow's gradient has a
/// choice at a corner, the slope has TensorFlow's.
namespace cannery::kernels {

enum class RowLoss : std::uint8_t
{
    MeanSquaredError,
    MeanAbsoluteError,
    MeanAbsolutePercentageError,
    MeanSquaredLogarithmicError,
    Huber,
    LogCosh,
    Poisson,
    KlDivergence,
    CosineSimilarity,
    Hinge,
    SquaredHinge,
    CategoricalHinge,
    BinaryCrossentropy,
    BinaryFocalCrossentropy,
    CategoricalCrossentropy,
    CategoricalFocalCrossentropy,
    SparseCategoricalCrossentropy,
};

inline constexpr int kRowLossCount = 17;

/// tf.keras.backend.epsilon(), and what is left of 1 without it, both as float32 has them: there
/// 1 - 1e-7 is 0.99999988.
inline constexpr double kLossEpsilon = 1e-7F;
inline constexpr double kLossCeiling = 1.0F - 1e-7F;

/// The arguments of the formulas.
struct LossConstants
{
    double delta = 1.0;           ///< Huber: where the line begins
    double labelSmoothing = 0.0;  ///< cross entropies
    double gamma = 2.0;           ///< focal losses
    double alpha = 0.25;          ///< focal losses
    bool balancesClasses = false; ///< binary focal: alpha weighs class 1, 1 - alpha class 0
};

inline double signOf(double x)
{
    return x > 0 ? 1.0 : x < 0 ? -1.0 : 0.0;
}

/// As tf.clip_by_value, which hands the gradient through on both bounds.
inline double clippedChance(double p)
{
    return std::clamp(p, kLossEpsilon, kLossCeiling);
}
inline bool isWithinChance(double p)
{
    return p >= kLossEpsilon && p <= kLossCeiling;
}

/// (p - y)^2
struct SquaredDistance
{
    static double value(double p, double y, const LossConstants&) { return (p - y) * (p - y); }
    static double slope(double p, double y, const LossConstants&) { return 2 * (p - y); }
};

/// |p - y|
struct AbsoluteDistance
{
    static double value(double p, double y, const LossConstants&) { return std::abs(p - y); }
    static double slope(double p, double y, const LossConstants&) { return signOf(p - y); }
};

/// 100 |y - p| / max(|y|, epsilon)
struct PercentDistance
{
    static double value(double p, double y, const LossConstants&)
    {
        return 100 * std::abs(y - p) / std::max(std::abs(y), kLossEpsilon);
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return 100 * signOf(p - y) / std::max(std::abs(y), kLossEpsilon);
    }
};

/// (ln(max(p, epsilon) + 1) - ln(max(y, epsilon) + 1))^2
struct LogarithmicDistance
{
    static double distance(double p, double y)
    {
        return std::log1p(std::max(p, kLossEpsilon)) - std::log1p(std::max(y, kLossEpsilon));
    }
    static double value(double p, double y, const LossConstants&)
    {
        return distance(p, y) * distance(p, y);
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return p >= kLossEpsilon ? 2 * distance(p, y) / (p + 1) : 0.0;
    }
};

/// e^2 / 2 up to delta, beyond it delta |e| - delta^2 / 2, with e = p - y
struct HuberDistance
{
    static double value(double p, double y, const LossConstants& constants)
    {
        const double size = std::abs(p - y);
        const double delta = constants.delta;
        return size <= delta ? size * size / 2 : delta * size - delta * delta / 2;
    }
    static double slope(double p, double y, const LossConstants& constants)
    {
        const double error = p - y;
        return std::abs(error) <= constants.delta ? error : constants.delta * signOf(error);
    }
};

/// ln cosh d = d + softplus(-2 d) - ln 2, with d = p - y; by |d|, where no power overflows
struct LogCoshDistance
{
    static double value(double p, double y, const LossConstants&)
    {
        const double size = std::abs(p - y);
        return size + std::log1p(std::exp(-2 * size)) - std::numbers::ln2;
    }
    static double slope(double p, double y, const LossConstants&) { return std::tanh(p - y); }
};

/// p - y ln(p + epsilon)
struct PoissonDistance
{
    static double value(double p, double y, const LossConstants&)
    {
        return p - y * std::log(p + kLossEpsilon);
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return 1 - y / (p + kLossEpsilon);
    }
};

/// max(1 - y p, 0)
struct HingeDistance
{
    static double value(double p, double y, const LossConstants&)
    {
        return std::max(1 - y * p, 0.0);
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return 1 - y * p >= 0 ? -y : 0.0;
    }
};

/// max(1 - y p, 0)^2
struct SquaredHingeDistance
{
    static double value(double p, double y, const LossConstants&)
    {
        const double beyond = std::max(1 - y * p, 0.0);
        return beyond * beyond;
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return -2 * y * std::max(1 - y * p, 0.0);
    }
};

/// -(y ln(q + epsilon) + (1 - y) ln(1 - q + epsilon)), q the clipped probability
struct ChanceCrossEntropy
{
    static double value(double p, double y, const LossConstants&)
    {
        const double q = clippedChance(p);
        return -(y * std::log(q + kLossEpsilon) + (1 - y) * std::log(1 - q + kLossEpsilon));
    }
    static double slope(double p, double y, const LossConstants&)
    {
        return isWithinChance(p) ? (1 - y) / (1 - p + kLossEpsilon) - y / (p + kLossEpsilon) : 0.0;
    }
};

/// max(z, 0) - z y + ln(1 + e^-|z|) of a logit z
struct LogitCrossEntropy
{
    static double value(double z, double y, const LossConstants&)
    {
        return std::max(z, 0.0) - z * y + std::log1p(std::exp(-std::abs(z)));
    }
    static double slope(double z, double y, const LossConstants&)
    {
        return kernels::logistic(z) - y;
    }
};

/// Cross entropy times (1 - p_t)^gamma, p_t = y p + (1 - y)(1 - p), and the class's weight; the
/// chance in p_t is not clipped.
template <typename CrossEntropy>
struct FocalCrossEntropy
{
    static constexpr bool kOfLogits = std::is_same_v<CrossEntropy, LogitCrossEntropy>;

    static double chance(double p) { return kOfLogits ? kernels::logistic(p) : p; }
    static double weight(double y, const LossConstants& constants)
    {
        return constants.balancesClasses ? y * constants.alpha + (1 - y) * (1 - constants.alpha)
                                         : 1.0;
    }
    static double missed(double p, double y) { return 1 - (y * p + (1 - y) * (1 - p)); }
    static double value(double p, double y, const LossConstants& constants)
    {
        return weight(y, constants) * std::pow(missed(chance(p), y), constants.gamma) *
               CrossEntropy::value(p, y, constants);
    }
    static double slope(double p, double y, const LossConstants& constants)
    {
        const double q = chance(p);
        const double rest = missed(q, y);
        const double gamma = constants.gamma;
        double factorSlope = (1 - 2 * y) * (kOfLogits ? q * (1 - q) : 1.0);
        // Without the check a gamma below 1 divides by 0 where nothing is missed, and one of 0
        // multiplies that by 0.
        factorSlope *=
            gamma == 0 || (rest == 0 && gamma < 1) ? 0.0 : gamma * std::pow(rest, gamma - 1);
        return weight(y, constants) *
               (std::pow(rest, gamma) * CrossEntropy::slope(p, y, constants) +
                factorSlope * CrossEntropy::value(p, y, constants));
    }
};

} // namespace cannery::kernels
