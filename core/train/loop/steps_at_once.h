// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace cannery::train {

/// What an accelerator takes at once takes together, at most: no request is obeyed meanwhile.
inline constexpr double kAheadSeconds = 0.05;

/// How many steps to take at once after some have taken this long.
inline std::int64_t nextAtOnce(std::int64_t taken, double seconds)
{
    const double ofStep = seconds / static_cast<double>(taken);
    const std::int64_t most = 2 * taken;
    return ofStep * static_cast<double>(most) <= kAheadSeconds
               ? most
               : std::max<std::int64_t>(1, static_cast<std::int64_t>(kAheadSeconds / ofStep));
}

} // namespace cannery::train
