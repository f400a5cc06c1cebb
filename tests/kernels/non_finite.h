// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

namespace cannery::tests {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

} // namespace cannery::tests
