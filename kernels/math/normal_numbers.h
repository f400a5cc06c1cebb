// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/random.h"
#include "kernels/math/elementary.h"
#include "kernels/math/host_device.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

/// Normal random numbers from random bits, without branches or tables: the same bits on every
/// machine. The double versions are by the C library, for the reference.
namespace cannery::kernels {

/// Independent, of mean 0 and variance 1.
template <typename T>
struct NormalPair
{
    T first = T(0);
    T second = T(0);
};

namespace detail {

/// ln x of a normal float: x = m 2^e with m in [sqrt(1/2), sqrt 2), for which the series of
/// logarithmOfOnePlus() converges as fast below 0 as above.
CANNERY_HOST_DEVICE inline float naturalLogarithm(float x)
{
    const auto bits = std::bit_cast<std::int32_t>(x);
    constexpr std::int32_t kRootOfHalf = 0x3F3504F3;
    const std::int32_t exponent = (bits - kRootOfHalf) >> 23;
    const auto m = std::bit_cast<float>(bits - exponent * (1 << 23));
    return std::fma(static_cast<float>(exponent), std::numbers::ln2_v<float>,
                    logarithmOfOnePlus(m - 1.0F));
}

CANNERY_HOST_DEVICE inline double naturalLogarithm(double x)
{
    return std::log(x);
}

/// The point at a fraction of a turn on the unit circle: the nearest quarter, and the rest by
/// Taylor's series; the first omitted terms are below 2^-24.
CANNERY_HOST_DEVICE inline NormalPair<float> pointOfTurn(float turn)
{
    const float quarters = turn * 4.0F;
    const auto quarter = static_cast<std::int32_t>(quarters + 0.5F);
    const float angle =
        (quarters - static_cast<float>(quarter)) * (std::numbers::pi_v<float> / 2.0F);
    const float square = angle * angle;
    float cosine = std::fma(square, 1.0F / 40320, -1.0F / 720);
    cosine = std::fma(square, cosine, 1.0F / 24);
    cosine = std::fma(square, cosine, -0.5F);
    cosine = std::fma(square, cosine, 1.0F);
    float sine = std::fma(square, 1.0F / 362880, -1.0F / 5040);
    sine = std::fma(square, sine, 1.0F / 120);
    sine = std::fma(square, sine, -1.0F / 6);
    sine = std::fma(square * angle, sine, angle);
    const float x = (quarter & 1) == 0 ? cosine : sine;
    const float y = (quarter & 1) == 0 ? sine : cosine;
    return {((quarter + 1) & 2) == 0 ? x : -x, (quarter & 2) == 0 ? y : -y};
}

CANNERY_HOST_DEVICE inline NormalPair<double> pointOfTurn(double turn)
{
    return {std::cos(2 * std::numbers::pi * turn), std::sin(2 * std::numbers::pi * turn)};
}

} // namespace detail

/// Of 2 x 24 random bits, by Box and Muller (1958): a radius sqrt(-2 ln u) at a uniform angle. None
/// is beyond 5.77.
template <typename T>
CANNERY_HOST_DEVICE NormalPair<T> normalPair(std::uint32_t radiusBits, std::uint32_t angleBits)
{
    // In (0, 1], so that the logarithm is finite.
    const T u = (static_cast<T>(radiusBits >> 8) + T(1)) * T(0x1p-24);
    const T radius = std::sqrt(T(-2) * detail::naturalLogarithm(u));
    const NormalPair<T> point = detail::pointOfTurn(static_cast<T>(angleBits >> 8) * T(0x1p-24));
    return {radius * point.first, radius * point.second};
}

} // namespace cannery::kernels
