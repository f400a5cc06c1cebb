// SPDX-License-Identifier: Apache-2.0
#include "tests/support/allocation_counter.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define CANNERY_FOREIGN_ALLOCATOR
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(CANNERY_SANITIZES_THREADS) || !defined(__GLIBC__)
#define CANNERY_FOREIGN_ALLOCATOR
#endif

namespace {

std::atomic<std::int64_t> allocations{0};

} // namespace

#ifndef CANNERY_FOREIGN_ALLOCATOR

// The C library's own, under the names it exports for this purpose.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) noexcept
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_malloc(size);
}

void* calloc(std::size_t count, std::size_t size) noexcept
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_calloc(count, size);
}

void* realloc(void* memory, std::size_t size) noexcept
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_realloc(memory, size);
}

void* memalign(std::size_t alignment, std::size_t size) noexcept
{
    allocations.fetch_add(1, std::memory_order_relaxed);
    return __libc_memalign(alignment, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept
{
    return memalign(alignment, size);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t size) noexcept
{
    *memory = memalign(alignment, size);
    return *memory == nullptr ? ENOMEM : 0;
}
}

#endif

namespace cannery::tests {

std::int64_t allocationCount()
{
    return allocations.load(std::memory_order_relaxed);
}

bool allocationsAreCounted()
{
#ifdef CANNERY_FOREIGN_ALLOCATOR
    return false;
#else
    return true;
#endif
}

} // namespace cannery::tests
