// SPDX-License-Identifier: Apache-2.0
#include "core/base/large_memory.h"

#include <sys/mman.h>

#include <cstdlib>

namespace cannery {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20U;

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

} // namespace cannery
