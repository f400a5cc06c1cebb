// SPDX-License-Identifier: Apache-2.0
#include "core/base/large_memory.h"

#include "core/base/check.h"

#include <sys/mman.h>

#include <cstdlib>
#include <new>

namespace cannery {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

class LargeMemory : public std::pmr::memory_resource
{
private:
    void* do_allocate(std::size_t bytes, std::size_t alignment) override
    {
        CANNERY_CHECK(alignment <= kLineBytes);
        void* memory = allocateLarge(bytes);
        if (memory == nullptr) {
            throw std::bad_alloc();
        }
        return memory;
    }
    void do_deallocate(void* memory, std::size_t, std::size_t) override { std::free(memory); }
    bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override
    {
        return this == &other;
    }
};

} // namespace

void* allocateLarge(std::size_t bytes)
{
    const bool isHuge = bytes >= 2 * kHugePage;
    const std::size_t alignment = isHuge ? kHugePage : kLineBytes;
    const std::size_t size = (bytes + alignment - 1) / alignment * alignment;
    void* memory = std::aligned_alloc(alignment, size);
    if (isHuge && memory != nullptr) {
        // A hint: if the system has no huge pages, small ones are used.
        ::madvise(memory, size, MADV_HUGEPAGE);
    }
    return memory;
}

std::pmr::memory_resource* largeMemory()
{
    static LargeMemory memory;
    return &memory;
}

} // namespace cannery
