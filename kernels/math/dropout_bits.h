// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/device/random.h"
#include "kernels/math/host_device.h"

namespace cannery::kernels {

/// The coordinates of four adjacent units' random bits: counter (unit / 4, row, step's low half,
/// layer << 16 | step's upper 16 bits), key the seed. Unit u uses word u % 4.
CANNERY_HOST_DEVICE constexpr std::array<std::uint32_t, 4>
dropoutCounter(std::uint64_t unit, std::uint64_t row, std::uint64_t step, std::uint32_t layer)
{
    return {static_cast<std::uint32_t>(unit / 4), static_cast<std::uint32_t>(row),
            static_cast<std::uint32_t>(step),
            layer << 16 | (static_cast<std::uint32_t>(step >> 32) & 0xFFFFU)};
}

CANNERY_HOST_DEVICE constexpr std::array<std::uint32_t, 2> dropoutKey(std::uint64_t seed)
{
    return {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)};
}

} // namespace cannery::kernels
