// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <bit>
#include <cmath>
#include <cstdint>

/// exp, expm1 and similar functions without branches or tables, so that a loop over floats
/// vectorizes and gives the same bits on every machine, with any C library. Errors are at most 2
/// ulps, except for erfc; NaN stays NaN. The double versions are the C library's, for the reference
/// kernels.
namespace cannery::kernels {

namespace detail {

/// x = n ln 2 + r with |r| <= ln 2 / 2.
struct ReducedExponent
{
    std::int32_t n;
    float r;
};

CANNERY_HOST_DEVICE inline ReducedExponent reduceExponent(float x)
{
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits.
    constexpr float kRounder = 12582912.0F;
    const float rounded = std::fma(x, 1.44269504F, kRounder);
    const float n = rounded - kRounder;
    // ln 2 in two parts, the first with so few bits that its product with n is exact.
    const float r = std::fma(n, 2.12194440e-4F, std::fma(n, -0.693359375F, x));
    return {std::bit_cast<std::int32_t>(rounded) - std::bit_cast<std::int32_t>(kRounder), r};
}

/// (e^r - 1 - r) / r^2 by its Taylor series; the first omitted term is below 2^-27.
CANNERY_HOST_DEVICE inline float exponentialTail(float r)
{
    float sum = 1.0F / 5040;
    sum = std::fma(sum, r, 1.0F / 720);
    sum = std::fma(sum, r, 1.0F / 120);
    sum = std::fma(sum, r, 1.0F / 24);
    sum = std::fma(sum, r, 1.0F / 6);
    return std::fma(sum, r, 0.5F);
}

CANNERY_HOST_DEVICE inline float powerOfTwo(std::int32_t n)
{
    return std::bit_cast<float>((n + 127) << 23);
}

} // namespace detail

CANNERY_HOST_DEVICE inline float exponential(float x)
{
    x = x > 89.0F ? 89.0F : x;
    x = x < -104.0F ? -104.0F : x;
    const auto [n, r] = detail::reduceExponent(x);
    const float e = std::fma(detail::exponentialTail(r), r * r, r) + 1.0F;
    // Two factors, since 2^n alone may exceed the range of float.
    const std::int32_t half = n >> 1;
    return e * detail::powerOfTwo(half) * detail::powerOfTwo(n - half);
}

CANNERY_HOST_DEVICE inline double exponential(double x)
{
    return std::exp(x);
}

/// e^x - 1, accurate to the last bits for small x too; an x above 88 is treated as 88.
CANNERY_HOST_DEVICE inline float exponentialMinusOne(float x)
{
    x = x > 88.0F ? 88.0F : x;
    x = x < -30.0F ? -30.0F : x;
    const auto [n, r] = detail::reduceExponent(x);
    const float e = std::fma(detail::exponentialTail(r), r * r, r);
    const float scale = detail::powerOfTwo(n);
    return std::fma(scale, e, scale - 1.0F);
}

CANNERY_HOST_DEVICE inline double exponentialMinusOne(double x)
{
    return std::expm1(x);
}

/// ln(1 + x) for x in [0, 1], accurate to the last bits for small x too: with s = x / (2 + x) it is
/// 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 ...); the first omitted term is below 2^-27 of the sum.
CANNERY_HOST_DEVICE inline float logarithmOfOnePlus(float x)
{
    const float s = x / (2.0F + x);
    const float square = s * s;
    float sum = 1.0F / 15;
    sum = std::fma(sum, square, 1.0F / 13);
    sum = std::fma(sum, square, 1.0F / 11);
    sum = std::fma(sum, square, 1.0F / 9);
    sum = std::fma(sum, square, 1.0F / 7);
    sum = std::fma(sum, square, 1.0F / 5);
    sum = std::fma(sum, square, 1.0F / 3);
    return 2.0F * std::fma(sum, square * s, s);
}

CANNERY_HOST_DEVICE inline double logarithmOfOnePlus(double x)
{
    return std::log1p(x);
}

/// tanh x = (e^2x - 1) / (e^2x + 1).
CANNERY_HOST_DEVICE inline float hyperbolicTangent(float x)
{
    x = x > 10.0F ? 10.0F : x;
    x = x < -10.0F ? -10.0F : x;
    const float e = exponentialMinusOne(2.0F * x);
    return e / (e + 2.0F);
}

CANNERY_HOST_DEVICE inline double hyperbolicTangent(double x)
{
    return std::tanh(x);
}

/// erfc x = 1 - erf x by a fit of its logarithm (Press et al., Numerical Recipes, section 6.2):
/// absolute error at most 4e-7, and relative error 5e-6 where the value is tiny.
CANNERY_HOST_DEVICE inline float complementaryErrorFunction(float x)
{
    const float size = std::abs(x);
    const float t = 1.0F / std::fma(0.5F, size, 1.0F);
    float sum = 0.17087277F;
    sum = std::fma(sum, t, -0.82215223F);
    sum = std::fma(sum, t, 1.48851587F);
    sum = std::fma(sum, t, -1.13520398F);
    sum = std::fma(sum, t, 0.27886807F);
    sum = std::fma(sum, t, -0.18628806F);
    sum = std::fma(sum, t, 0.09678418F);
    sum = std::fma(sum, t, 0.37409196F);
    sum = std::fma(sum, t, 1.00002368F);
    sum = std::fma(sum, t, -1.26551223F);
    const float tail = t * exponential(std::fma(-size, size, sum));
    return x < 0.0F ? 2.0F - tail : tail;
}

CANNERY_HOST_DEVICE inline double complementaryErrorFunction(double x)
{
    return std::erfc(x);
}

/// 1 / (1 + e^-x).
template <typename T>
CANNERY_HOST_DEVICE T logistic(T x)
{
    return T(1) / (T(1) + exponential(-x));
}

} // namespace cannery::kernels
