// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace cannery::kernels::cpu {

/// Channels whose values stay in registers.
inline constexpr std::int64_t kLanes = 32;
using Lanes = std::array<float, kLanes>;

/// Calls function(first channel, number of channels) over all of them, the number a constant
/// wherever it can be: loops over it are then unrolled and vectorized.
template <typename Function>
void forEachLaneBlock(std::int64_t first, std::int64_t end, const Function& function)
{
    for (; first + kLanes <= end; first += kLanes) {
        function(first, std::integral_constant<std::int64_t, kLanes>());
    }
    if (first < end) {
        function(first, end - first);
    }
}

} // namespace cannery::kernels::cpu
