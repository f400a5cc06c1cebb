// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace cannery::tests {

/// What an emulated machine has, and what goes wrong on it. The plug-in reads each from the
/// environment variable in brackets.
struct EmulatedOptions
{
    /// CANNERY_EMULATED_DEVICES
    std::int64_t devices = 1;
    /// Of each device, CANNERY_EMULATED_MEMORY.
    std::int64_t memoryBytes = std::int64_t{1} << 30;
    /// The n-th allocation of an opened device fails, counted from 1; 0: none.
    /// CANNERY_EMULATED_FAIL_ALLOCATION
    std::int64_t failAllocation = 0;
    /// The n-th launch of an opened device loses the device, counted from 1; 0: none.
    /// CANNERY_EMULATED_LOSE_AT_LAUNCH
    std::int64_t loseAtLaunch = 0;
    /// Another program has the devices. CANNERY_EMULATED_BUSY=1
    bool busy = false;
    /// CANNERY_EMULATED_OLD_DRIVER=1
    bool oldDriver = false;
    /// The library for groups is missing. CANNERY_EMULATED_NO_NCCL=1
    bool noNccl = false;
    /// Devices do nothing, at once: see IdleDevice. CANNERY_EMULATED_IDLE=1
    bool idle = false;
    /// A folder where the devices of several processes meet; empty: those of one process do.
    /// CANNERY_EMULATED_GROUPS
    std::string groups = {};
    /// Each operation that does not meet others runs twice, the second time with other values in
    /// all memory that it does not use by usedMemory(): what it writes must be the same, and
    /// nothing else may change. What is found is a "gpu.failed" of synchronize().
    bool watches = false;

    static EmulatedOptions ofEnvironment();
};

} // namespace cannery::tests
