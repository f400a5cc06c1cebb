// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// One weight's step by the rules of tf.keras.optimizers.legacy (Keras 2.15; AdamW: of
/// tf.keras.optimizers; the proximal ones: of tf.compat.v1.train) and of the TensorFlow kernels
/// beneath them, in their order of evaluation: g is the gradient, w the weight, the others
/// are slots. Templates: float in the fast kernels, double in the reference. `learningRate` is the
/// rate of this step, after schedule and decay.
namespace cannery::kernels {

/// Momentum 0: w -= g lr. Else a = a mu - g lr, and w += a, or with Nesterov w += a mu - g lr.
/// Slots: momentum (only when mu is not 0).
struct SgdUpdate
{
    float learningRate = 0.01F;
    float momentum = 0.0F;
    bool nesterov = false;

    template <typename T>
    CANNERY_HOST_DEVICE void plain(T& w, T g) const
    {
        w -= g * T(learningRate);
    }
    template <typename T>
    CANNERY_HOST_DEVICE void withMomentum(T& w, T& a, T g) const
    {
        a = a * T(momentum) - g * T(learningRate);
        w += nesterov ? a * T(momentum) - g * T(learningRate) : a;
    }
};

/// n += g^2, w -= g lr / (sqrt n + epsilon)  (Duchi et al. 2011). Slots: accumulator.
struct AdagradUpdate
{
    float learningRate = 0.001F;
    float epsilon = 1e-7F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& n, T g) const
    {
        n += g * g;
        w -= g * T(learningRate) / (std::sqrt(n) + T(epsilon));
    }
};

/// a = a rho + g^2 (1 - rho), u = sqrt(d + epsilon) / sqrt(a + epsilon) g, w -= u lr,
/// d = d rho + u^2 (1 - rho)  (Zeiler 2012). Slots: accum_grad (a), accum_var (d).
struct AdadeltaUpdate
{
    float learningRate = 0.001F;
    float rho = 0.95F;
    float epsilon = 1e-7F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& a, T& d, T g) const
    {
        const T keep = T(rho);
        const T take = T(1.0F - rho);
        a = a * keep + g * g * take;
        const T u = std::sqrt(d + T(epsilon)) / std::sqrt(a + T(epsilon)) * g;
        w -= u * T(learningRate);
        d = d * keep + u * u * take;
    }
};

/// m += (g - m)(1 - beta1), v += (g^2 - v)(1 - beta2),
/// w -= m alpha / (sqrt v + epsilon), alpha = lr sqrt(1 - beta2^t) / (1 - beta1^t)
/// (Kingma and Ba 2015); AMSGrad (Reddi et al. 2018) puts vhat = max(vhat, v) under the root.
/// Slots: m, v, vhat (only with amsgrad). t = iterations + 1.
struct AdamUpdate
{
    float learningRate = 0.001F;
    float beta1 = 0.9F;
    float beta2 = 0.999F;
    float epsilon = 1e-7F;
    bool amsgrad = false;
    float beta1Power = 0.9F;   ///< beta1^t
    float beta2Power = 0.999F; ///< beta2^t
    float take1 = 0.1F;        ///< 1 - beta1, like the next rounded as the optimizer does
    float take2 = 0.001F;

    /// Sets the numbers that follow from the others for a step that is preceded by `iterations`
    /// steps.
    void setIterations(std::int64_t iterations)
    {
        take1 = 1.0F - beta1;
        take2 = 1.0F - beta2;
        beta1Power = std::pow(beta1, static_cast<float>(iterations + 1));
        beta2Power = std::pow(beta2, static_cast<float>(iterations + 1));
    }
    CANNERY_HOST_DEVICE float alpha() const
    {
        return learningRate * std::sqrt(1.0F - beta2Power) / (1.0F - beta1Power);
    }

    template <typename T>
    CANNERY_HOST_DEVICE void moments(T& m, T& v, T g) const
    {
        m += (g - m) * T(take1);
        v += (g * g - v) * T(take2);
    }
    template <typename T>
    CANNERY_HOST_DEVICE void move(T& w, T m, T v, T stepAlpha) const
    {
        w -= m * stepAlpha / (std::sqrt(v) + T(epsilon));
    }
    /// The parts of a sparse step: every row is decayed, then the rows present are updated.
    template <typename T>
    CANNERY_HOST_DEVICE void decayMoments(T& m, T& v) const
    {
        m *= T(beta1);
        v *= T(beta2);
    }
    template <typename T>
    CANNERY_HOST_DEVICE void addMoments(T& m, T& v, T g) const
    {
        m += g * T(take1);
        v += g * g * T(take2);
    }
};

/// Adam after w -= w weight_decay lr  (Loshchilov and Hutter 2019). Slots: m, v.
struct AdamWUpdate
{
    AdamUpdate adam;
    float weightDecay = 0.004F;

    template <typename T>
    CANNERY_HOST_DEVICE void decayWeight(T& w) const
    {
        w -= w * T(weightDecay) * T(adam.learningRate);
    }
};

/// m += (g - m)(1 - beta1), u = max(u beta2, |g|), w -= lr / (1 - beta1^t) m / (u + epsilon)
/// (Kingma and Ba 2015, section 7). Slots: m, v (u).
struct AdamaxUpdate
{
    float learningRate = 0.001F;
    float beta1 = 0.9F;
    float beta2 = 0.999F;
    float epsilon = 1e-7F;
    float beta1Power = 0.9F; ///< beta1^t

    void setIterations(std::int64_t iterations)
    {
        beta1Power = std::pow(beta1, static_cast<float>(iterations + 1));
    }

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& m, T& u, T g) const
    {
        m += (g - m) * T(1.0F - beta1);
        u = std::max(u * T(beta2), std::abs(g));
        w -= T(learningRate / (1.0F - beta1Power)) * (m / (u + T(epsilon)));
    }
};

/// Adam with Nesterov's momentum on a schedule (Dozat 2016), mu_t = beta1 (1 - 0.96^(t d) / 2):
/// m = beta1 m + (1 - beta1) g, v = beta2 v + (1 - beta2) g^2,
/// w -= lr ((1 - mu_t) g / (1 - M_t) + mu_(t+1) m / (1 - M_(t+1))) / (sqrt(v / (1 - beta2^t)) +
/// epsilon) with M_t the product of all mu so far, which the optimizer keeps as `momentum_cache`.
/// Slots: m, v.
struct NadamUpdate
{
    float learningRate = 0.001F;
    float beta1 = 0.9F;
    float beta2 = 0.999F;
    float epsilon = 1e-7F;
    float scheduleDecay = 0.004F; ///< d
    float beta2Power = 0.999F;    ///< beta2^t
    float mu = 0.0F;              ///< mu_t
    float nextMu = 0.0F;          ///< mu_(t+1)
    float product = 0.0F;         ///< M_t
    float nextProduct = 0.0F;     ///< M_(t+1)

    /// Sets what depends on the step; momentumCache is M_(t-1), initially 1. The next step's cache
    /// is `product`.
    void setIterations(std::int64_t iterations, float momentumCache)
    {
        const auto t = static_cast<float>(iterations + 1);
        const auto next = static_cast<float>(iterations + 2);
        mu = beta1 * (1.0F - 0.5F * std::pow(0.96F, scheduleDecay * t));
        nextMu = beta1 * (1.0F - 0.5F * std::pow(0.96F, scheduleDecay * next));
        product = momentumCache * mu;
        nextProduct = product * nextMu;
        beta2Power = std::pow(beta2, t);
    }

    template <typename T>
    CANNERY_HOST_DEVICE void decayMoments(T& m, T& v) const
    {
        m *= T(beta1);
        v *= T(beta2);
    }
    /// After decayMoments.
    template <typename T>
    CANNERY_HOST_DEVICE void addAndMove(T& w, T& m, T& v, T g) const
    {
        m += g * T(1.0F - beta1);
        v += g * g * T(1.0F - beta2);
        const T now = T(1.0F - mu) * (g / T(1.0F - product));
        const T ahead = T(nextMu) * (m / T(1.0F - nextProduct));
        const T root = std::sqrt(v / T(1.0F - beta2Power));
        w -= T(learningRate) * (now + ahead) / (root + T(epsilon));
    }
};

/// r = rho r + (1 - rho) g^2 (Hinton's lecture 6e); centered also keeps q = rho q + (1 - rho) g and
/// uses d = r - q^2 instead of r.
/// Momentum 0: w -= lr g / (sqrt d + epsilon); epsilon is outside the root.
/// Else p = mu p + lr g / sqrt(d + epsilon), w -= p; epsilon is inside.
/// Slots: rms (r), momentum (p, only when mu is not 0), mg (q, only when centered).
struct RmsPropUpdate
{
    float learningRate = 0.001F;
    float rho = 0.9F;
    float momentum = 0.0F;
    float epsilon = 1e-7F;
    bool centered = false;

    template <typename T>
    CANNERY_HOST_DEVICE void decay(T& mean) const
    {
        mean *= T(rho);
    }
    /// After decay().
    template <typename T>
    CANNERY_HOST_DEVICE void add(T& mean, T value) const
    {
        mean += value * T(1.0F - rho);
    }
    template <typename T>
    CANNERY_HOST_DEVICE void move(T& w, T d, T g) const
    {
        w -= T(learningRate) * g / (std::sqrt(d) + T(epsilon));
    }
    template <typename T>
    CANNERY_HOST_DEVICE void moveWithMomentum(T& w, T& p, T d, T g) const
    {
        p = p * T(momentum) + g * T(learningRate) / std::sqrt(d + T(epsilon));
        w -= p;
    }
};

/// n' = n + g^2, z += g + 2 shrinkage w - (n'^p - n^p) / lr w, q = n'^p / lr + 2 l2,
/// w = |z| > l1 ? (sign(z) l1 - z) / q : 0, n = n'  (McMahan et al. 2013)
/// with p = -learning_rate_power, square roots for 1/2, and l2 raised by beta / (2 lr).
/// Slots: accumulator (n), linear (z). A rate of 0, by which TensorFlow divides, changes nothing.
struct FtrlUpdate
{
    float learningRate = 0.001F;
    float learningRatePower = -0.5F; ///< at most 0
    float l1 = 0.0F;
    float l2 = 0.0F;
    float l2Shrinkage = 0.0F;
    float beta = 0.0F;

    /// Whether quotients by the rate are of use: the limit of the step for ever smaller rates is to
    /// leave the weight where it is.
    CANNERY_HOST_DEVICE bool moves() const
    {
        constexpr float kLeastRate = 1e-30F;
        return learningRate >= kLeastRate || learningRate <= -kLeastRate;
    }
    CANNERY_HOST_DEVICE float adjustedL2() const { return l2 + beta / (2.0F * learningRate); }

    /// `power(x)` is x^p.
    template <typename T, typename Power>
    CANNERY_HOST_DEVICE void apply(T& w, T& n, T& z, T g, T stepL2, Power power) const
    {
        const T grown = n + g * g;
        const T root = power(grown);
        const T shrunk = g + T(2.0F * l2Shrinkage) * w;
        z += shrunk - (root - power(n)) / T(learningRate) * w;
        const T q = root / T(learningRate) + T(2) * stepL2;
        const T towards = z > T(0) ? T(l1) : (z < T(0) ? T(-l1) : T(0));
        w = std::abs(z) > T(l1) ? (towards - z) / q : T(0);
        n = grown;
    }
};

/// The point that minimizes |x - moved|^2 / 2 + rate (l1 |x| + l2 x^2 / 2)
/// (Duchi and Singer 2009, forward-backward splitting).
template <typename T>
CANNERY_HOST_DEVICE T proximalPoint(T moved, T rate, T l1, T l2)
{
    const T shrunk = std::max(std::abs(moved) - rate * l1, T(0));
    const T towards = l1 > T(0) ? std::copysign(shrunk, moved) : moved;
    return towards / (T(1) + l2 * rate);
}

/// w = proximalPoint(w - g lr, lr). No slots.
struct ProximalGradientDescentUpdate
{
    float learningRate = 0.01F;
    float l1 = 0.0F;
    float l2 = 0.0F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T g) const
    {
        const T rate = T(learningRate);
        w = proximalPoint(w - g * rate, rate, T(l1), T(l2));
    }
};

/// n += g^2, r = lr / sqrt n, w = proximalPoint(w - g r, r). Slots: the accumulator n.
struct ProximalAdagradUpdate
{
    float learningRate = 0.01F;
    float l1 = 0.0F;
    float l2 = 0.0F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& n, T g) const
    {
        n += g * g;
        const T rate = T(learningRate) / std::sqrt(n);
        w = proximalPoint(w - g * rate, rate, T(l1), T(l2));
    }
};

} // namespace cannery::kernels
