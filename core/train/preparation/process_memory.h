// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace cannery::train {

/// Resident memory of this process in bytes; 0 if the system does not report it.
std::int64_t residentBytes();

/// The most that this process has had resident so far; 0 if the system does not report it.
std::int64_t peakResidentBytes();

/// Memory that the machine, and the control group of this process, can still provide without
/// swapping; 0 if the system does not report it.
std::int64_t availableBytes();

} // namespace cannery::train
