// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/used_memory.h"
#include "tests/support/emulated_device/device_memory.h"

#include <map>
#include <string>
#include <vector>

namespace cannery::tests {

/// Finds out whether an operation uses other memory than it says. Memory is accessible while this
/// exists, and as it was before when it goes.
class OperationWatch
{
public:
    /// Of each block of memory.
    using Memory = std::map<const std::byte*, std::vector<std::byte>>;

    OperationWatch(const DeviceMemory& memory, const std::vector<kernels::UsedMemory>& uses);
    ~OperationWatch();
    OperationWatch(const OperationWatch&) = delete;
    OperationWatch& operator=(const OperationWatch&) = delete;

    Memory take() const;
    /// Memory is as it was, but for other values where the operation should not look.
    void disguise() const;
    /// After the operation has run with `once` as the result, and once more disguised: what is
    /// wrong, or nothing.
    std::string compare(const Memory& once) const;

private:
    enum class Use : std::uint8_t
    {
        None,
        Read,
        Write,
    };
    /// Calls function(address, index, use) for each byte of a block.
    template <typename Function>
    void forEachByte(const Memory& memory, const Function& function) const;

    const DeviceMemory& m_memory;
    Memory m_before;
    std::map<const std::byte*, std::vector<Use>> m_uses;
};

} // namespace cannery::tests
