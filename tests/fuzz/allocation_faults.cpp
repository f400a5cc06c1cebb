// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/allocation_faults.h"

#include <malloc.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace cannery::tests {

namespace {

struct Plan
{
    bool isArmed;
    bool persists;
    std::int64_t failing; ///< number of the allocation that fails, 0: none
    std::int64_t count;
    std::int64_t live;
    std::int64_t bytes; ///< currently allocated, since it was armed
    std::int64_t peak;
};

// Trivial type, in the program itself: reading it allocates nothing.
thread_local Plan plan;

/// Whether this allocation has to fail.
bool takesFault()
{
    if (!plan.isArmed) {
        return false;
    }
    ++plan.count;
    return plan.failing != 0 &&
           (plan.count == plan.failing || (plan.persists && plan.count > plan.failing));
}

void* counted(void* block)
{
    if (block != nullptr) {
        ++plan.live;
        plan.bytes += static_cast<std::int64_t>(::malloc_usable_size(block));
        plan.peak = std::max(plan.peak, plan.bytes);
    }
    return block;
}

void forget(void* block)
{
    if (block != nullptr) {
        --plan.live;
        plan.bytes -= static_cast<std::int64_t>(::malloc_usable_size(block));
    }
}

void* failed()
{
    errno = ENOMEM;
    return nullptr;
}

} // namespace

void failAllocation(std::int64_t n, bool persists)
{
    plan.count = 0;
    plan.bytes = 0;
    plan.peak = 0;
    plan.failing = n;
    plan.persists = persists;
    plan.isArmed = true;
}

std::int64_t stopFailing()
{
    plan.isArmed = false;
    return plan.count;
}

std::int64_t peakBytes()
{
    return plan.peak;
}

std::int64_t liveBlocks()
{
    return plan.live;
}

} // namespace cannery::tests

using cannery::tests::counted;
using cannery::tests::failed;
using cannery::tests::forget;
using cannery::tests::plan;
using cannery::tests::takesFault;

#if defined(__SANITIZE_ADDRESS__) || defined(CANNERY_SANITIZES_THREADS)

namespace {

void* allocate(std::size_t size, std::size_t alignment)
{
    if (takesFault()) {
        return nullptr;
    }
    size = size == 0 ? 1 : size;
    return counted(
        alignment <= alignof(std::max_align_t)
            ? std::malloc(size)
            : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment));
}

void* allocateOrThrow(std::size_t size, std::size_t alignment)
{
    void* block = allocate(size, alignment);
    if (block == nullptr) {
        throw std::bad_alloc();
    }
    return block;
}

void release(void* block) noexcept
{
    forget(block);
    std::free(block);
}

} // namespace

void* operator new(std::size_t size)
{
    return allocateOrThrow(size, 1);
}
void* operator new[](std::size_t size)
{
    return allocateOrThrow(size, 1);
}
void* operator new(std::size_t size, std::align_val_t at)
{
    return allocateOrThrow(size, std::size_t(at));
}
void* operator new[](std::size_t size, std::align_val_t at)
{
    return allocateOrThrow(size, std::size_t(at));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept
{
    return allocate(size, 1);
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept
{
    return allocate(size, 1);
}
void operator delete(void* block) noexcept
{
    release(block);
}
void operator delete[](void* block) noexcept
{
    release(block);
}
void operator delete(void* block, std::size_t) noexcept
{
    release(block);
}
void operator delete[](void* block, std::size_t) noexcept
{
    release(block);
}
void operator delete(void* block, std::align_val_t) noexcept
{
    release(block);
}
void operator delete[](void* block, std::align_val_t) noexcept
{
    release(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept
{
    release(block);
}
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept
{
    release(block);
}

#else

// glibc's own functions behind the names that every library of this process uses.
extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);

void* malloc(std::size_t size)
{
    return takesFault() ? failed() : counted(__libc_malloc(size));
}

void* calloc(std::size_t count, std::size_t size)
{
    return takesFault() ? failed() : counted(__libc_calloc(count, size));
}

void* realloc(void* block, std::size_t size)
{
    if (takesFault()) {
        return failed();
    }
    const auto before =
        block == nullptr ? 0 : static_cast<std::int64_t>(::malloc_usable_size(block));
    void* moved = __libc_realloc(block, size);
    if (moved != nullptr || size == 0) {
        plan.live -= block != nullptr ? 1 : 0;
        plan.bytes -= before;
        counted(moved);
    }
    return moved;
}

void* memalign(std::size_t alignment, std::size_t size)
{
    return takesFault() ? failed() : counted(__libc_memalign(alignment, size));
}

void* aligned_alloc(std::size_t alignment, std::size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size)
{
    *block = memalign(alignment, size);
    return *block == nullptr ? ENOMEM : 0;
}

void free(void* block)
{
    forget(block);
    __libc_free(block);
}

} // extern "C"

#endif
