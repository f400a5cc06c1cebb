// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace cannery::storage {

/// When a process was started, in the kernel's clock ticks since boot, with the boot's id: together
/// with the process id this identifies a process uniquely. Empty if there is no such process.
std::string processStartTime(std::int64_t processId);

/// Whether exactly this process is still alive.
bool isProcessAlive(std::int64_t processId, const std::string& startTime);

} // namespace cannery::storage
