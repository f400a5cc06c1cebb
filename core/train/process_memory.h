// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::train {

/// Resident memory of this process in bytes; 0 where the system does not tell.
std::int64_t residentBytes();

/// What the machine, and the control group of this process, can still give out without swapping; 0
/// where the system does not tell.
std::int64_t availableBytes();

} // namespace cannery::train
