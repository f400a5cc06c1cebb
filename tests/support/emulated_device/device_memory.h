// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/accelerator/accelerator.h"

#include <map>

namespace cannery::tests {

/// Memory of an emulated device: pages of their own, which nothing but the device may touch.
/// Whatever reads or writes them on the host, outside of access(), crashes, as it would with a real
/// device.
class DeviceMemory
{
public:
    DeviceMemory() = default;
    ~DeviceMemory();
    DeviceMemory(const DeviceMemory&) = delete;
    DeviceMemory& operator=(const DeviceMemory&) = delete;

    /// Zeroed.
    std::byte* allocate(std::int64_t bytes);
    void free(std::byte* memory);
    std::int64_t usedBytes() const { return m_usedBytes; }
    bool isEmpty() const { return m_blocks.empty(); }

    /// Whether all of it lies in one allocation.
    bool holds(const std::byte* begin, std::int64_t bytes) const;
    const std::map<const std::byte*, std::int64_t>& blocks() const { return m_blocks; }
    /// Allows or forbids access.
    void setAccessible(bool accessible);

private:
    std::map<const std::byte*, std::int64_t> m_blocks; ///< size of each
    std::int64_t m_usedBytes = 0;
    bool m_accessible = false;
};

} // namespace cannery::tests
