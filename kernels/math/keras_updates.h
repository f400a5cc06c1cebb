// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/optimizer_updates.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

/// One weight's step by the rules of tf.keras.optimizers since TensorFlow 2.11 (Keras 2.15), where
/// they differ from those of optimizer_updates.h, which has the conventions. Adam and AdamW do not:
/// they are AdamUpdate. A `take` is 1 - beta, rounded as Keras does.
///
/// A gradient of some rows is one with zeros in all other rows, in Keras too, but for Adagrad, of
/// which that is the same.
namespace cannery::kernels {

/// a = a mu - g lr, and w += a, or with Nesterov w += a mu - g lr. Slots: m (a).
struct KerasMomentumUpdate
{
    SgdUpdate sgd;
};

/// n += g^2, w -= g lr / sqrt(n + epsilon): epsilon is inside the root. Slots: accumulator (n).
struct KerasAdagradUpdate
{
    float learningRate = 0.001F;
    float epsilon = 1e-7F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& n, T g) const
    {
        n += g * g;
        w -= g * T(learningRate) / std::sqrt(n + T(epsilon));
    }
};

/// a = a rho + g^2 (1 - rho), u = sqrt(d + epsilon) / sqrt(a + epsilon) g,
/// d = d rho + u^2 (1 - rho), w -= u lr. Slots: accumulated_grad (a), accumulated_delta_var (d).
struct KerasAdadeltaUpdate
{
    float learningRate = 0.001F;
    float rho = 0.95F;
    float take = 0.05F; ///< 1 - rho
    float epsilon = 1e-7F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& a, T& d, T g) const
    {
        a = a * T(rho) + g * g * T(take);
        const T u = std::sqrt(d + T(epsilon)) / std::sqrt(a + T(epsilon)) * g;
        d = d * T(rho) + u * u * T(take);
        w -= u * T(learningRate);
    }
};

/// m += (g - m)(1 - beta1), u = max(u beta2, |g|), w -= lr / (1 - beta1^t) m / (u + epsilon).
/// Slots: m, u.
struct KerasAdamaxUpdate
{
    float rate = 0.01F; ///< lr / (1 - beta1^t)
    float take1 = 0.1F;
    float beta2 = 0.999F;
    float epsilon = 1e-7F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& m, T& u, T g) const
    {
        m += (g - m) * T(take1);
        u = std::max(u * T(beta2), std::abs(g));
        w -= T(rate) * m / (u + T(epsilon));
    }
};

/// u_t = beta1 (1 - 0.96^t / 2), U_t the product of all u so far,
/// m += (g - m)(1 - beta1), v += (g^2 - v)(1 - beta2),
/// w -= lr (u_(t+1) m / (1 - U_(t+1)) + (1 - u_t) g / (1 - U_t))
///      / (sqrt(v / (1 - beta2^t)) + epsilon). Slots: m, v.
struct KerasNadamUpdate
{
    float learningRate = 0.001F;
    float take1 = 0.1F;
    float take2 = 0.001F;
    float epsilon = 1e-7F;
    float ofMean = 0.0F;     ///< u_(t+1) / (1 - U_(t+1))
    float ofGradient = 0.0F; ///< (1 - u_t) / (1 - U_t)
    float rest2 = 0.001F;    ///< 1 - beta2^t

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& m, T& v, T g) const
    {
        m += (g - m) * T(take1);
        v += (g * g - v) * T(take2);
        const T ahead = T(ofMean) * m + T(ofGradient) * g;
        w -= ahead * T(learningRate) / (std::sqrt(v / T(rest2)) + T(epsilon));
    }
};

/// v = v rho + g^2 (1 - rho); centered also keeps q = q rho + g (1 - rho) and takes d = v - q^2
/// instead of v. i = lr g / sqrt(d + epsilon), and w -= i, or with momentum p = p mu + i, w -= p.
/// Slots: velocity (v), momentum (p, only when mu is not 0), average_gradient (q, only when
/// centered).
struct KerasRmsPropUpdate
{
    float learningRate = 0.001F;
    float rho = 0.9F;
    float take = 0.1F; ///< 1 - rho
    float momentum = 0.0F;
    float epsilon = 1e-7F;
    bool centered = false;

    /// The slots that are not kept are 0, and stay so.
    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& v, T& p, T& q, T g) const
    {
        v = v * T(rho) + g * g * T(take);
        T d = v;
        if (centered) {
            q = q * T(rho) + g * T(take);
            d -= q * q;
        }
        const T step = g * T(learningRate) / std::sqrt(d + T(epsilon));
        p = p * T(momentum) + step;
        w -= p;
    }
};

/// FtrlUpdate, also of rows without a gradient. Slots: accumulator, linear.
struct KerasFtrlUpdate
{
    FtrlUpdate ftrl;
};

/// w -= lr sign(m beta1 + g (1 - beta1)), m = m beta2 + g (1 - beta2)  (Chen et al. 2023). Slots:
/// m.
struct LionUpdate
{
    float learningRate = 0.0001F;
    float beta1 = 0.9F;
    float take1 = 0.1F;
    float beta2 = 0.99F;
    float take2 = 0.01F;

    template <typename T>
    CANNERY_HOST_DEVICE void apply(T& w, T& m, T g) const
    {
        const T towards = m * T(beta1) + g * T(take1);
        const T sign = towards > T(0) ? T(1) : (towards < T(0) ? T(-1) : T(0));
        w -= sign * T(learningRate);
        m = m * T(beta2) + g * T(take2);
    }
};

} // namespace cannery::kernels
