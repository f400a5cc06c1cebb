// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery {

/// Tells a process from another one that takes its place: a random number, not 0. Of the system's
/// source; no bit of a training depends on it. Any thread.
std::uint64_t newProcessToken();

} // namespace cannery
