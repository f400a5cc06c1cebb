// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/math/host_device.h"

#include <bit>
#include <cstdint>

/// The narrow formats that accelerators multiply in. Both have the range of float32; values are
/// rounded to the nearest, ties to even, and NaN stays NaN.
namespace cannery::kernels {

namespace detail {

CANNERY_HOST_DEVICE constexpr bool isNan(std::uint32_t bits)
{
    return (bits & 0x7FFFFFFFU) > 0x7F800000U;
}

/// The bits of a float32, the low `dropped` ones rounded away.
CANNERY_HOST_DEVICE constexpr std::uint32_t roundedBits(std::uint32_t bits, int dropped)
{
    const std::uint32_t half = (1U << (dropped - 1)) - 1U + ((bits >> dropped) & 1U);
    return ((bits + half) >> dropped) << dropped;
}

} // namespace detail

/// 8 bits of exponent and 7 of the fraction: the upper half of a float32.
CANNERY_HOST_DEVICE constexpr std::uint16_t toBFloat16(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t rounded =
        detail::isNan(bits) ? bits | 0x00400000U : detail::roundedBits(bits, 16);
    return static_cast<std::uint16_t>(rounded >> 16);
}

CANNERY_HOST_DEVICE constexpr float fromBFloat16(std::uint16_t value)
{
    return std::bit_cast<float>(std::uint32_t{value} << 16);
}

/// TF32, with 10 bits of the fraction.
CANNERY_HOST_DEVICE constexpr float toTensorFloat32(float value)
{
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return detail::isNan(bits) ? value : std::bit_cast<float>(detail::roundedBits(bits, 13));
}

} // namespace cannery::kernels
