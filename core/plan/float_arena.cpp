// SPDX-License-Identifier: Apache-2.0
#include "core/plan/float_arena.h"

#include "core/base/check.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

namespace cannery::plan {

namespace {

constexpr std::int64_t kLineFloats = 16;
/// From this many floats on, memory is requested in huge pages: rows of a large table are read at
/// random, and translating an address in a small page then costs as much as reading the row.
constexpr std::size_t kHugePage = std::size_t{2} << 20U;

} // namespace

std::int64_t FloatArena::add(std::int64_t count)
{
    CANNERY_CHECK(m_memory == nullptr);
    const std::int64_t offset = m_size;
    m_size += (count + kLineFloats - 1) / kLineFloats * kLineFloats;
    return offset;
}

void FloatArena::allocate()
{
    // At least one line, so that at() of an empty arena is a valid pointer.
    std::size_t bytes = static_cast<std::size_t>(m_size + kLineFloats) * sizeof(float);
    std::size_t alignment = kLineFloats * sizeof(float);
    const bool isHuge = bytes >= 2 * kHugePage;
    if (isHuge) {
        alignment = kHugePage;
        bytes = (bytes + kHugePage - 1) / kHugePage * kHugePage;
    }
    m_memory.reset(static_cast<float*>(std::aligned_alloc(alignment, bytes)));
    CANNERY_CHECK(m_memory != nullptr);
    if (isHuge) {
        // A hint: if the system has no huge pages, small ones are used.
        ::madvise(m_memory.get(), bytes, MADV_HUGEPAGE);
    }
    std::memset(m_memory.get(), 0, bytes);
}

void FloatArena::Free::operator()(float* memory) const
{
    std::free(memory);
}

} // namespace cannery::plan
