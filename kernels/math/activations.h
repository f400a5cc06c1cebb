// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/elementary.h"
#include "kernels/math/host_device.h"

#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>
#include <string_view>

/// The activation functions of Keras 2.15 and tf.nn: y = f(x) and the slope f'(x). Where the slope
/// can be computed from y, it is (kNeedsInput false), so training need not keep x. Each formula is
/// a template: float in the fast kernels, double in the reference. NaN is preserved.
namespace cannery::kernels {

enum class Activation : std::uint8_t
{
    Linear,
    Relu,
    Relu6,
    Elu,
    Selu,
    LeakyRelu,
    Tanh,
    Sigmoid,
    HardSigmoid,
    Softplus,
    Softsign,
    Swish,
    Gelu,
    Exponential,
    Mish,
};

inline constexpr int kActivationCount = 15;

/// TensorFlow's name: "leaky_relu", "swish".
std::string_view name(Activation activation);
/// Also accepts "silu" for swish.
std::optional<Activation> activationFromName(std::string_view name);

/// y = x
struct LinearFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T)
    {
        return T(1);
    }
};

/// y = max(x, 0); the slope at 0 is 0.
struct ReluFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x < T(0) ? T(0) : x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y > T(0) ? T(1) : T(0);
    }
};

/// y = min(max(x, 0), 6)
struct Relu6Formula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        const T low = x < T(0) ? T(0) : x;
        return low > T(6) ? T(6) : low;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y > T(0) && y < T(6) ? T(1) : T(0);
    }
};

/// y = x < 0 ? e^x - 1 : x  (Clevert et al. 2015, alpha 1)
struct EluFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x < T(0) ? exponentialMinusOne(x) : x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y < T(0) ? y + T(1) : T(1);
    }
};

/// y = s * (x < 0 ? a (e^x - 1) : x)  (Klambauer et al. 2017)
struct SeluFormula
{
    static constexpr bool kNeedsInput = false;
    static constexpr double kScale = 1.0507009873554804934;
    static constexpr double kScaleAlpha = 1.7580993408473768599;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x < T(0) ? T(kScaleAlpha) * exponentialMinusOne(x) : T(kScale) * x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y < T(0) ? y + T(kScaleAlpha) : T(kScale);
    }
};

/// y = x > 0 ? x : 0.2 x, tf.nn.leaky_relu's default.
struct LeakyReluFormula
{
    static constexpr bool kNeedsInput = false;
    static constexpr double kAlpha = 0.2;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x > T(0) ? x : T(kAlpha) * x;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y > T(0) ? T(1) : T(kAlpha);
    }
};

/// y = tanh x, y' = 1 - y^2
struct TanhFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return hyperbolicTangent(x);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return T(1) - y * y;
    }
};

/// y = 1 / (1 + e^-x), y' = y (1 - y)
struct SigmoidFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return logistic(x);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y * (T(1) - y);
    }
};

/// y = min(max(0.2 x + 0.5, 0), 1); as for tf.clip_by_value, the slope is 0.2 at both bounds.
struct HardSigmoidFormula
{
    static constexpr bool kNeedsInput = true;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        const T line = T(0.2) * x + T(0.5);
        const T low = line < T(0) ? T(0) : line;
        return low > T(1) ? T(1) : low;
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        const T line = T(0.2) * x + T(0.5);
        // NaN has the slope 0, as both comparisons of TensorFlow's clipping fail for it.
        return line >= T(0) && line <= T(1) ? T(0.2) : T(0);
    }
};

/// y = ln(1 + e^x), y' = 1 / (1 + e^-x)
struct SoftplusFormula
{
    static constexpr bool kNeedsInput = true;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return (x < T(0) ? T(0) : x) + logarithmOfOnePlus(exponential(-std::abs(x)));
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        return logistic(x);
    }
};

/// y = x / (1 + |x|), y' = 1 / (1 + |x|)^2
struct SoftsignFormula
{
    static constexpr bool kNeedsInput = true;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x / (T(1) + std::abs(x));
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        const T width = T(1) + std::abs(x);
        return T(1) / (width * width);
    }
};

/// y = x s, s = 1 / (1 + e^-x), y' = s (1 + x (1 - s))
struct SwishFormula
{
    static constexpr bool kNeedsInput = true;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x * logistic(x);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        const T s = logistic(x);
        return s * (T(1) + x * (T(1) - s));
    }
};

/// y = x c, c = (1 + erf(x / sqrt 2)) / 2, y' = c + x e^(-x^2 / 2) / sqrt(2 pi)
/// (tf.nn.gelu with approximate=False)
struct GeluFormula
{
    static constexpr bool kNeedsInput = true;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return x * T(0.5) * complementaryErrorFunction(x * T(-std::numbers::sqrt2 / 2));
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        constexpr double kDensityScale = std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2;
        const T share = T(0.5) * complementaryErrorFunction(x * T(-std::numbers::sqrt2 / 2));
        return share + x * T(kDensityScale) * exponential(T(-0.5) * x * x);
    }
};

/// y = y' = e^x
struct ExponentialFormula
{
    static constexpr bool kNeedsInput = false;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        return exponential(x);
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T y)
    {
        return y;
    }
};

/// y = x t, t = tanh(ln(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2);
/// y' = t + x (1 - t^2) / (1 + e^-x)  (Misra 2019)
struct MishFormula
{
    static constexpr bool kNeedsInput = true;
    /// From here on t is 1 in float and in double, and e^x squared stays finite.
    static constexpr double kSaturation = 20;
    template <typename T>
    CANNERY_HOST_DEVICE static T value(T x)
    {
        const T e = exponential(x > T(kSaturation) ? T(kSaturation) : x);
        const T n = e * (e + T(2));
        return x * (n / (n + T(2)));
    }
    template <typename T>
    CANNERY_HOST_DEVICE static T slope(T x)
    {
        const T e = exponential(x > T(kSaturation) ? T(kSaturation) : x);
        const T n = e * (e + T(2));
        // 1 - t^2 without its cancellation: 4 (1 + e)^2 / (n + 2)^2.
        const T bend = T(4) * e * (T(1) + e) / ((n + T(2)) * (n + T(2)));
        return n / (n + T(2)) + x * (x > T(kSaturation) ? T(0) : bend);
    }
};

/// Calls function(formula object) for the activation; returns the function's result.
template <typename Function>
decltype(auto) withFormula(Activation activation, Function&& function)
{
    switch (activation) {
    case Activation::Relu:
        return function(ReluFormula());
    case Activation::Relu6:
        return function(Relu6Formula());
    case Activation::Elu:
        return function(EluFormula());
    case Activation::Selu:
        return function(SeluFormula());
    case Activation::LeakyRelu:
        return function(LeakyReluFormula());
    case Activation::Tanh:
        return function(TanhFormula());
    case Activation::Sigmoid:
        return function(SigmoidFormula());
    case Activation::HardSigmoid:
        return function(HardSigmoidFormula());
    case Activation::Softplus:
        return function(SoftplusFormula());
    case Activation::Softsign:
        return function(SoftsignFormula());
    case Activation::Swish:
        return function(SwishFormula());
    case Activation::Gelu:
        return function(GeluFormula());
    case Activation::Exponential:
        return function(ExponentialFormula());
    case Activation::Mish:
        return function(MishFormula());
    case Activation::Linear:
        break;
    }
    return function(LinearFormula());
}

/// Whether the gradient is computed from the activation's input (which must be kept) instead of its
/// output.
inline bool needsInput(Activation activation)
{
    return withFormula(activation, [](auto formula) { return decltype(formula)::kNeedsInput; });
}

} // namespace cannery::kernels
