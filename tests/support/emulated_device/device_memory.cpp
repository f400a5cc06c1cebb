// SPDX-License-Identifier: Apache-2.0
#include "tests/support/emulated_device/device_memory.h"

#include "core/base/check.h"

#include <sys/mman.h>

#include <algorithm>

namespace cannery::tests {

namespace {

std::size_t mappedBytes(std::int64_t bytes)
{
    return static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
}

} // namespace

DeviceMemory::~DeviceMemory()
{
    CANNERY_CHECK(m_blocks.empty());
}

std::byte* DeviceMemory::allocate(std::int64_t bytes)
{
    const int protection = m_accessible ? PROT_READ | PROT_WRITE : PROT_NONE;
    void* const memory =
        mmap(nullptr, mappedBytes(bytes), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CANNERY_CHECK(memory != MAP_FAILED);
    auto* const block = static_cast<std::byte*>(memory);
    m_blocks.emplace(block, bytes);
    m_usedBytes += bytes;
    return block;
}

void DeviceMemory::free(std::byte* memory)
{
    const auto block = m_blocks.find(memory);
    CANNERY_CHECK(block != m_blocks.end());
    m_usedBytes -= block->second;
    munmap(memory, mappedBytes(block->second));
    m_blocks.erase(block);
}

bool DeviceMemory::holds(const std::byte* begin, std::int64_t bytes) const
{
    auto block = m_blocks.upper_bound(begin);
    if (block == m_blocks.begin()) {
        return false;
    }
    --block;
    return begin + bytes <= block->first + block->second;
}

void DeviceMemory::setAccessible(bool accessible)
{
    m_accessible = accessible;
    for (const auto& [block, bytes] : m_blocks) {
        const int protection = accessible ? PROT_READ | PROT_WRITE : PROT_NONE;
        CANNERY_CHECK(mprotect(const_cast<std::byte*>(block), mappedBytes(bytes), protection) == 0);
    }
}

} // namespace cannery::tests
