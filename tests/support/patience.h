// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cannery::tests {

/// Milliseconds that a test waits for what must come: none waits so long unless it fails, and a
/// busy machine may need far more than a free one.
inline constexpr int kPatience = 60000;

} // namespace cannery::tests
